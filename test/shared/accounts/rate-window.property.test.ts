import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { localRate } from "../../../shared/accounts/local-rate.ts";
import {
  type AdmissionTimes,
  admitsAt,
  noAdmissions,
  rateDecision,
  refusal,
  admitsFromMs,
  withAdmission,
} from "../../../shared/accounts/rate-window.ts";

const startMs = 1_700_000_000_000;

/**
 * Asks the rate window to admit calls at the given times, in the given order. Returns the times of
 * the admitted calls.
 */
function offer(timesMs: readonly number[]): number[] {
  let times: AdmissionTimes = noAdmissions;
  const admitted: number[] = [];
  for (const now of timesMs) {
    if (!admitsAt(times, now)) continue;
    times = withAdmission(times, now);
    admitted.push(now);
  }
  return admitted;
}

const mostInASecond = (times: readonly number[]): number =>
  Math.max(0, ...times.map((from) => times.filter((t) => t >= from && t < from + 1_000).length));

describe("the rate window of an API key", () => {
  it("never admits more than 50 calls in any second, in whatever order the calls arrive", () => {
    fc.assert(
      fc.property(
        fc.array(fc.nat({ max: 5_000 }), { minLength: 51, maxLength: 600 }),
        (offsets) => {
          expect(mostInASecond(offer(offsets.map((ms) => startMs + ms)))).toBeLessThanOrEqual(50);
        },
      ),
    );
  });

  it("admits 50 of 80 simultaneous calls if no calls were admitted before", () => {
    expect(offer(Array.from({ length: 80 }, () => startMs))).toHaveLength(50);
  });

  it("admits at least 47 calls a second when 200 calls a second arrive", () => {
    const seconds = 20;
    const admitted = offer(Array.from({ length: 200 * seconds }, (_, n) => startMs + n * 5));
    expect(admitted.length / seconds).toBeGreaterThanOrEqual(47);
  });

  it("stores the times of the last 50 admitted calls", () => {
    let times: AdmissionTimes = noAdmissions;
    for (let n = 0; n < 70; n += 1) times = withAdmission(times, startMs + n);
    expect(times).toEqual(Array.from({ length: 50 }, (_, n) => startMs + 20 + n));
  });

  it("returns how many calls are left in the second, and when the next call is possible", () => {
    let times: AdmissionTimes = noAdmissions;
    expect(rateDecision(times, startMs)).toEqual({
      limit: 50,
      remaining: 50,
      resetSeconds: startMs / 1_000,
    });
    for (let n = 0; n < 50; n += 1) {
      times = withAdmission(times, startMs + n);
      expect(rateDecision(times, startMs + n).remaining).toBe(49 - n);
    }
    expect(rateDecision(times, startMs + 60).resetSeconds).toBe(startMs / 1_000 + 2);
    expect(admitsAt(times, admitsFromMs(times) - 1)).toBe(false);
    expect(admitsAt(times, admitsFromMs(times))).toBe(true);
    expect(rateDecision(times, startMs + 1_020 + 9).remaining).toBe(10);
  });

  it.each([
    [1_020, 1],
    [5, 1],
    [1_021, 2],
    [3_000, 3],
  ])(
    "refuses a call %d ms before the next possible call with a Retry-After of %d s",
    (ms, seconds) => {
      expect(refusal(startMs + ms, startMs)).toMatchObject({
        rate: { remaining: 0, resetSeconds: startMs / 1_000 + Math.ceil(ms / 1_000) },
        retryAfterSeconds: seconds,
      });
    },
  );
});

describe("the rate limit that one process enforces without the store", () => {
  const at = (ms: number): Date => new Date(startMs + ms);

  it("admits at most 50 calls of each caller in a second, including earlier calls that the store admitted", () => {
    const rate = localRate();
    for (let n = 0; n < 30; n += 1) rate.count("a", at(n));
    for (let n = 30; n < 50; n += 1) {
      expect(rate.admit("a", at(n))).toMatchObject({ admitted: true, rate: { remaining: 49 - n } });
    }
    expect(rate.admit("a", at(50))).toEqual({
      admitted: false,
      rate: { limit: 50, remaining: 0, resetSeconds: startMs / 1_000 + 2 },
      retryAfterSeconds: 1,
    });
    expect(rate.admit("b", at(50))).toMatchObject({ admitted: true, rate: { remaining: 49 } });
    expect(rate.admit("a", at(1_020))).toMatchObject({ admitted: true });
  });
});
