/**
 * The number of items that the service sends to a source in one call. It can become smaller than
 * configured.
 */
export interface BatchSize {
  max(): number;
  /** Records that the source rejected a batch of this many items as too large. */
  tooMany(count: number): void;
}

/**
 * Creates a batch size for all reads of a process, so that a rejected size is not tried again. Each
 * rejection halves the size. If the source rejects even a single item as too large, the size is not
 * the cause, and the configured size is used again.
 */
export function batchSize(configuredMax: number): BatchSize {
  let known = configuredMax;
  return {
    max: () => known,
    tooMany(count) {
      known = count === 1 ? configuredMax : Math.min(known, Math.ceil(count / 2));
    },
  };
}
