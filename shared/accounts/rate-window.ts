import { limits } from "../base/limits.ts";

/**
 * The request rate of one key: never more than 50 admitted in any one-second window.
 *
 * Admissions are counted in one running total, and the total is noted per 50 ms bucket in a ring.
 * A call at time t may be admitted while the total is below `total at t - 1 s` + 50. That bound only
 * grows with fresher knowledge of the ring, so a copy that is out of date can refuse too much but
 * never admit too much, and concurrent callers do not invalidate each other's copies.
 *
 * Calls are noted in order: one that comes late, after a call of a later bucket was noted, is noted
 * in that later bucket. So everything counted in a noted total happened before its bucket's end.
 */
export const bucketMilliseconds = 50;
export const ringSlots = 64;
export const windowMilliseconds = 1_000;

export interface RateState {
  /** Calls admitted since the key exists. */
  readonly admitted: number;
  /** The last bucket noted; no call is noted before it. */
  readonly lastBucket: number;
  /** Slot (bucket number modulo 64) to the last bucket noted there and the total after it. */
  readonly ring: ReadonlyMap<number, { readonly bucket: number; readonly admitted: number }>;
}

export interface RateDecision {
  readonly limit: number;
  readonly remaining: number;
  /** Unix seconds when a call frees up. */
  readonly resetSeconds: number;
}

/** The state of a key that made no call yet. */
export const noCalls: RateState = { admitted: 0, lastBucket: 0, ring: new Map() };

export const bucketOf = (ms: number): number => Math.floor(ms / bucketMilliseconds);

/** The bucket in which a call at `nowMs` is noted. */
export const notedBucket = (state: RateState, nowMs: number): number =>
  Math.max(bucketOf(nowMs), state.lastBucket);

export const slotOf = (bucket: number): number => bucket % ringSlots;

/** The running total below which a call at `nowMs` may be admitted. */
export function admissionCap(state: RateState, nowMs: number): number {
  const settledBefore = nowMs - windowMilliseconds;
  let total = 0;
  for (const noted of state.ring.values()) {
    const bucketEnd = (noted.bucket + 1) * bucketMilliseconds;
    if (bucketEnd <= settledBefore && noted.admitted > total) total = noted.admitted;
  }
  return total + limits.requestsPerSecond;
}

/** The state after one more admission at `nowMs`. */
export function admit(state: RateState, nowMs: number): RateState {
  const bucket = notedBucket(state, nowMs);
  const admitted = state.admitted + 1;
  const ring = new Map(state.ring).set(slotOf(bucket), { bucket, admitted });
  return { admitted, lastBucket: bucket, ring };
}

/** What the rate-limit headers say, given the state after the call. */
export function rateDecision(state: RateState, nowMs: number): RateDecision {
  const remaining = Math.max(0, admissionCap(state, nowMs) - state.admitted);
  return {
    limit: limits.requestsPerSecond,
    remaining,
    resetSeconds: Math.ceil((remaining > 0 ? nowMs : nextFreeMs(state, nowMs)) / 1_000),
  };
}

function nextFreeMs(state: RateState, nowMs: number): number {
  const ends = [...state.ring.values()]
    .map((noted) => (noted.bucket + 1) * bucketMilliseconds + windowMilliseconds)
    .filter((freeAt) => freeAt > nowMs);
  return Math.min(nowMs + windowMilliseconds, ...ends);
}
