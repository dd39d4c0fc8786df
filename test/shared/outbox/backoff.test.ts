import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  attemptsMax,
  nextWaitSeconds,
  retryAfterSeconds,
  retryWaitsSeconds,
} from "../../../shared/outbox/backoff.ts";

const now = new Date("2026-11-20T10:00:00.000Z");

describe("nextWaitSeconds, which calculates retry delays,", () => {
  it("returns the documented retry delay after each attempt, and null after the tenth attempt", () => {
    const waits = Array.from({ length: attemptsMax }, (_, index) =>
      nextWaitSeconds({ attempt: index + 1, retryAfterSeconds: null, fraction: 0.5 }),
    );

    expect(waits).toEqual([5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400, null]);
  });

  it("returns a retry delay that differs from the documented delay by at most a tenth", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: attemptsMax - 1 }),
        fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
        (attempt, fraction) => {
          const wait = retryWaitsSeconds[attempt - 1] ?? 0;
          const jittered = nextWaitSeconds({ attempt, retryAfterSeconds: null, fraction }) ?? 0;
          expect(Math.abs(jittered - wait)).toBeLessThanOrEqual(wait * 0.1 + 1e-6);
        },
      ),
    );
  });

  it("returns the time in Retry-After if it is longer than the retry delay, but at most an hour", () => {
    const waits = [2, 120, 7_200].map((asked) =>
      nextWaitSeconds({ attempt: 1, retryAfterSeconds: asked, fraction: 0.5 }),
    );

    expect(waits).toEqual([5, 120, 3_600]);
  });
});

describe("retryAfterSeconds, which reads the Retry-After of a receiver,", () => {
  it.each([
    [null, null],
    ["120", 120],
    ["Fri, 20 Nov 2026 10:02:00 GMT", 120],
    ["Fri, 20 Nov 2026 09:00:00 GMT", 0],
    ["soon", null],
    ["-5", 0],
  ])("parses the Retry-After header %j as the number of seconds %s", (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });

  it.each([
    ["Tue, 1 Dec 2026 10:00:00 GMT", 950_400],
    ["1 Dec 2026 10:00:00 GMT", 950_400],
    ["  Fri, 20 Nov 2026 10:02:00 GMT ", 120],
    ["Fri, 20 Nov 2026 10:02:00 +0000", 120],
  ])("accepts the Retry-After date %j", (header, seconds) => {
    expect(retryAfterSeconds(header, now)).toBe(seconds);
  });

  it("accepts spaces around the number of seconds in a Retry-After header", () => {
    expect(retryAfterSeconds(" 120 ", now)).toBe(120);
  });
});
