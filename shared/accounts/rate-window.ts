import { limits } from "../base/limits.ts";

/**
 * The times of the last 50 admitted calls of a key, in the order of admission (specification,
 * section "Limits"). A call is admitted if the oldest time is at least one window ago. Its time is
 * then appended, and the oldest time is dropped. Each admission is therefore at least one window
 * later than the 50th admission before it. No second has more than 50 admissions, even if calls
 * arrive out of order.
 */
export type AdmissionTimes = readonly [oldest: number, ...later: number[]];

/**
 * Milliseconds by which the window is longer than one second, because the clocks of processes
 * differ.
 */
export const marginMs = 20;
/** Length of the window, in milliseconds. */
export const windowMs = 1_000 + marginMs;

/** Values of the rate-limit headers of a call. */
export interface RateDecision {
  /** Maximum number of calls per second. */
  readonly limit: number;
  /** Number of calls that are possible now. */
  readonly remaining: number;
  /** Unix time in seconds from which another call is possible. */
  readonly resetSeconds: number;
}

/** Values of the headers of a refused call. */
export interface Refusal {
  readonly rate: RateDecision;
  /** Value of `Retry-After`: whole seconds, at least 1. */
  readonly retryAfterSeconds: number;
}

/** The times of a key that has made no call: all 0, which is too long ago to count. */
export const noAdmissions: AdmissionTimes = [
  0,
  ...Array<number>(limits.requestsPerSecond - 1).fill(0),
];

/**
 * Returns true if the rate limit admits a call at `nowMs`: the oldest of the key's stored admission
 * times is at least `windowMs` before `nowMs`.
 */
export const admitsAt = ([oldest]: AdmissionTimes, nowMs: number): boolean =>
  oldest <= nowMs - windowMs;

/**
 * Returns the time, in milliseconds since 1970, from which the rate limit admits the next call. If
 * the rate limit admits a call now, this time is in the past.
 */
export const admitsFromMs = ([oldest]: AdmissionTimes): number => oldest + windowMs;

/**
 * Returns the admission times after one more call, admitted at `nowMs`: drops the oldest time, so
 * that their number stays the same, and appends `nowMs`. The caller checks `admitsAt` first.
 */
export function withAdmission(times: AdmissionTimes, nowMs: number): AdmissionTimes {
  const [, oldest = nowMs, ...later] = times;
  return [oldest, ...later, nowMs];
}

/**
 * Returns the values of the rate-limit headers (limit, remaining calls, reset) at `nowMs` for a key
 * with these admission times.
 */
export function rateDecision(times: AdmissionTimes, nowMs: number): RateDecision {
  const recent = times.findIndex((time) => time > nowMs - windowMs);
  const remaining = recent === -1 ? times.length : recent;
  return {
    limit: limits.requestsPerSecond,
    remaining,
    resetSeconds: toSeconds(remaining > 0 ? nowMs : admitsFromMs(times)),
  };
}

/**
 * Builds the refusal of a call at `nowMs` by a key whose calls are refused until `untilMs`. Both
 * times are milliseconds since 1970.
 */
export const refusal = (untilMs: number, nowMs: number): Refusal => ({
  rate: { limit: limits.requestsPerSecond, remaining: 0, resetSeconds: toSeconds(untilMs) },
  // The margin is not included, because it is shorter than the round trip to the client.
  retryAfterSeconds: Math.max(1, toSeconds(untilMs - marginMs - nowMs)),
});

const toSeconds = (ms: number): number => Math.ceil(ms / 1_000);
