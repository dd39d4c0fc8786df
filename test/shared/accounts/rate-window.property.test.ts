import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  admissionCap,
  admit,
  noCalls,
  rateDecision,
  type RateState,
} from "../../../shared/accounts/rate-window.ts";

const idle: RateState = noCalls;

/** Offers calls at the given gaps; returns the times of those admitted. */
function offer(gapsMs: readonly number[], startMs = 1_700_000_000_000): number[] {
  let state = idle;
  let now = startMs;
  const admitted: number[] = [];
  for (const gap of gapsMs) {
    now += gap;
    if (state.admitted >= admissionCap(state, now)) continue;
    state = admit(state, now);
    admitted.push(now);
  }
  return admitted;
}

const mostInOneSecond = (times: readonly number[]): number =>
  Math.max(0, ...times.map((from) => times.filter((t) => t >= from && t < from + 1_000).length));

describe("rate window", () => {
  it("never admits more than 50 in any one-second window", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 120 }), { minLength: 1, maxLength: 400 }), (gaps) => {
        expect(mostInOneSecond(offer(gaps))).toBeLessThanOrEqual(50);
      }),
    );
  });

  it("admits 50 at once after a rest", () => {
    expect(offer(Array.from({ length: 80 }, () => 0))).toHaveLength(50);
  });

  it("admits at least 47 a second when 200 a second are offered", () => {
    const seconds = 20;
    const admitted = offer(Array.from({ length: 200 * seconds }, () => 5));
    expect(admitted.length / seconds).toBeGreaterThanOrEqual(47);
  });

  it("refuses rather than admits on a copy that is out of date", () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 60 }), { minLength: 5, maxLength: 200 }), (gaps) => {
        let state = idle;
        let now = 1_700_000_000_000;
        let stale = idle;
        for (const [n, gap] of gaps.entries()) {
          now += gap;
          if (n % 7 === 0) stale = state;
          expect(admissionCap(stale, now)).toBeLessThanOrEqual(admissionCap(state, now));
          state = admit(state, now);
        }
      }),
    );
  });

  it("says how many calls are left and when one frees up", () => {
    const now = 1_700_000_000_000;
    let state = idle;
    for (let n = 0; n < 50; n += 1) state = admit(state, now);
    expect(rateDecision(idle, now)).toMatchObject({ limit: 50, remaining: 50 });
    const full = rateDecision(state, now);
    expect(full.remaining).toBe(0);
    const free = full.resetSeconds * 1_000;
    expect(state.admitted).toBeLessThan(admissionCap(state, free + 1_000));
    expect(free).toBeGreaterThan(now);
  });
});
