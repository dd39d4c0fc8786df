import { limits } from "../base/limits.ts";

/**
 * The request rate of one key (specification, section "Limits").
 *
 * The limiter keeps the times of the key's last 50 admissions, in the order of admission. It admits a
 * call when the oldest of them is at least a window ago, appends the call's time and drops the oldest.
 * So every admission is at least a window later than the 50th before it, even if calls arrive out of
 * order, and no second has more than 50.
 */
export type AdmissionTimes = readonly [oldest: number, ...later: number[]];

/** Milliseconds by which the window exceeds a second, because the clocks of processes differ. */
export const marginMs = 20;
export const windowMs = 1_000 + marginMs;

/** Values of the rate-limit headers. */
export interface RateDecision {
  readonly limit: number;
  readonly remaining: number;
  /** Unix time in seconds at which the next call becomes available. */
  readonly resetSeconds: number;
}

/** Values of the rate-limit headers of a refused call. */
export interface Refusal {
  readonly rate: RateDecision;
  /** Whole seconds, at least 1. */
  readonly retryAfterSeconds: number;
}

/** The times of a key that has made no call. */
export const noAdmissions: AdmissionTimes = [
  0,
  ...Array<number>(limits.requestsPerSecond - 1).fill(0),
];

/** True if the window has room for a call at `nowMs`. */
export const hasRoom = ([oldest]: AdmissionTimes, nowMs: number): boolean =>
  oldest <= nowMs - windowMs;

/** Time from which the window has room for a call; in the past if it has room now. */
export const roomFromMs = ([oldest]: AdmissionTimes): number => oldest + windowMs;

/** The times after one more admission at `nowMs`. */
export function withAdmission(times: AdmissionTimes, nowMs: number): AdmissionTimes {
  const [, oldest = nowMs, ...later] = times;
  return [oldest, ...later, nowMs];
}

/** The rate after the last of these admissions. */
export function rateDecision(times: AdmissionTimes, nowMs: number): RateDecision {
  const recent = times.findIndex((time) => time > nowMs - windowMs);
  const remaining = recent === -1 ? times.length : recent;
  return {
    limit: limits.requestsPerSecond,
    remaining,
    resetSeconds: toSeconds(remaining > 0 ? nowMs : roomFromMs(times)),
  };
}

/** A refusal of a call at `nowMs`, when calls are refused until `untilMs`. */
export const refusal = (untilMs: number, nowMs: number): Refusal => ({
  rate: { limit: limits.requestsPerSecond, remaining: 0, resetSeconds: toSeconds(untilMs) },
  // The margin is shorter than the round trip to the client.
  retryAfterSeconds: Math.max(1, toSeconds(untilMs - marginMs - nowMs)),
});

const toSeconds = (ms: number): number => Math.ceil(ms / 1_000);
