const minute = 60;
const hour = 60 * minute;

/** Delays before the second and each later attempt of a delivery or export, in seconds. */
export const retryWaitsSeconds = [
  5,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
] as const;

/** Maximum number of attempts: one first attempt, and one after each delay. */
export const attemptsMax = retryWaitsSeconds.length + 1;

/**
 * Maximum variation of a delay, as a fraction of the delay, so that attempts that failed together
 * are not repeated together.
 */
const jitter = 0.1;
/** Maximum delay that a receiver's `Retry-After` can request, in seconds. */
const retryAfterSecondsMax = hour;

/** The facts about a failed attempt on which the delay before the next attempt depends. */
export interface FailedAttempt {
  /** Number of the attempt that failed, from 1. */
  readonly attempt: number;
  /** The receiver's `Retry-After` in seconds; null if it sent none. */
  readonly retryAfterSeconds: number | null;
  /** Random number in [0, 1) that determines the variation of the delay. */
  readonly fraction: number;
}

/**
 * Returns the seconds until the next attempt of a delivery or export; null if no further attempt is
 * allowed. A `Retry-After` of the receiver counts as at most an hour, and applies if it is longer
 * than the planned delay.
 */
export function nextWaitSeconds(failed: FailedAttempt): number | null {
  const wait = retryWaitsSeconds[failed.attempt - 1];
  if (wait === undefined) return null;
  const jittered = wait * (1 - jitter + 2 * jitter * failed.fraction);
  return Math.max(jittered, Math.min(failed.retryAfterSeconds ?? 0, retryAfterSecondsMax));
}

/**
 * Parses a `Retry-After` header, which contains seconds or an HTTP date. Returns seconds, 0 for a
 * date in the past, or null if the header is absent or malformed.
 */
export function retryAfterSeconds(header: string | null, now: Date): number | null {
  if (header === null) return null;
  if (/^\d{1,15}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1_000);
}
