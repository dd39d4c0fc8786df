import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextRunAfter, parseEvery } from "../../../shared/watchlists/schedule.ts";

describe("every", () => {
  it.each([
    ["5m", 300],
    ["15m", 900],
    ["90m", 5_400],
    ["1h", 3_600],
    ["24h", 86_400],
    ["7d", 604_800],
    ["10080m", 604_800],
  ])("%s is %i seconds", (text, everySeconds) => {
    expect(parseEvery(text)).toEqual({ type: "every", every: text, everySeconds });
  });

  it.each([
    "",
    "5",
    "m",
    "0m",
    "4m",
    "8d",
    "169h",
    "1.5h",
    "-5m",
    "5 m",
    "5min",
    "05m",
    "1w",
    "300s",
  ])("refuses %j and names the parameter", (text) => {
    expect(() => parseEvery(text)).toThrow(
      expect.objectContaining({ code: "INVALID_PARAM", status: 400, details: { param: "every" } }),
    );
  });
});

describe("next run", () => {
  it("stays on the grid of the due time and is later than now", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 5, max: 10_080 }),
        fc.integer({ min: 0, max: 10 ** 9 }),
        (minutes, lateMs) => {
          const schedule = parseEvery(`${minutes}m`);
          const due = new Date("2026-03-01T00:00:00Z");
          const now = new Date(due.getTime() + lateMs);
          const next = nextRunAfter(schedule, due, now).getTime();
          expect(next).toBeGreaterThan(now.getTime());
          expect(next - now.getTime()).toBeLessThanOrEqual(minutes * 60_000);
          expect((next - due.getTime()) % (minutes * 60_000)).toBe(0);
        },
      ),
    );
  });
});
