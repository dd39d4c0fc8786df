import type { Clock } from "../../base/clock.ts";

/**
 * The number of items that the service sends to a source in one call. The number can become smaller
 * than the configured one.
 */
export interface BatchSize {
  max(): number;
  /** Records that the source rejected a batch of this many items as too large. */
  tooMany(count: number): void;
}

/** Options for a source whose refusals do not show clearly whether a batch was too large. */
export interface UnclearRefusals {
  readonly clock: Clock;
  /** The smallest size to which refusals reduce the batch size. */
  readonly reducedMin: number;
}

/**
 * Milliseconds after which a reduced size is doubled again, to test whether the reduction is still
 * necessary.
 */
const doubledAfterMs = 10 * 60 * 1_000;

/**
 * Creates the adaptive batch size of a source, which all reads of a process share. If the source
 * rejects a batch as too large, the size becomes half of the rejected batch, so that the rejected
 * size is not tried again. If the source rejects even a single item as too large, the size is not
 * the cause, and `configuredMax` applies again.
 * @param unclear present for a source whose refusals can have another cause than the size. A
 * reduced size then doubles every ten minutes, up to `configuredMax`, and is never less than
 * `reducedMin`.
 */
export function batchSize(configuredMax: number, unclear?: UnclearRefusals): BatchSize {
  let known = configuredMax;
  let reducedAt = 0;
  const now = (): number => unclear?.clock.now().getTime() ?? 0;
  const least = Math.min(unclear?.reducedMin ?? 1, configuredMax);
  return {
    max() {
      if (unclear !== undefined && known < configuredMax && now() - reducedAt >= doubledAfterMs) {
        known = Math.min(configuredMax, known * 2);
        reducedAt = now();
      }
      return known;
    },
    tooMany(count) {
      reducedAt = now();
      known = count === 1 ? configuredMax : Math.max(least, Math.min(known, Math.ceil(count / 2)));
    },
  };
}
