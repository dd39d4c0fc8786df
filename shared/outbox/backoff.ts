const minute = 60;
const hour = 60 * minute;

/** Waits between the attempts of a delivery or an export, in seconds after the failure before. */
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

/** The first attempt and one after each wait. */
export const attemptsMax = retryWaitsSeconds.length + 1;

/** Waits differ by up to this part of themselves, so that what failed together spreads out. */
const jitter = 0.1;
/** A receiver's `Retry-After` can move an attempt back by an hour at most. */
const retryAfterSecondsMax = hour;

export interface FailedAttempt {
  /** Number of the attempt that failed, from 1. */
  readonly attempt: number;
  /** What the receiver asked for, in seconds; null when it did not. */
  readonly retryAfterSeconds: number | null;
  /** A number in [0, 1) that places the wait inside the jitter. */
  readonly fraction: number;
}

/** Seconds until the next attempt, or null after the last one. */
export function nextWaitSeconds(failed: FailedAttempt): number | null {
  const wait = retryWaitsSeconds[failed.attempt - 1];
  if (wait === undefined) return null;
  const jittered = wait * (1 - jitter + 2 * jitter * failed.fraction);
  return Math.max(jittered, Math.min(failed.retryAfterSeconds ?? 0, retryAfterSecondsMax));
}

/** Reads a `Retry-After` header, in seconds or as an HTTP date; null when there is none to use. */
export function retryAfterSeconds(header: string | null, now: Date): number | null {
  if (header === null) return null;
  if (/^\d{1,15}$/.test(header.trim())) return Number(header);
  const at = Date.parse(header);
  return Number.isNaN(at) ? null : Math.max(0, (at - now.getTime()) / 1_000);
}
