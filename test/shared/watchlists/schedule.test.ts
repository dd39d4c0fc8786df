import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cronSchedule,
  everyPattern,
  isSameSchedule,
  nextRunAfter,
  nextRunTimes,
  parseEvery,
  parseSchedule,
  runTimesAfter,
} from "../../../shared/watchlists/schedule.ts";
import { watchlistSchedule } from "../../../shared/watchlists/schedules.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";

describe("a cadence", () => {
  it.each([
    ["5m", 300],
    ["15m", 900],
    ["90m", 5_400],
    ["1h", 3_600],
    ["24h", 86_400],
    ["7d", 604_800],
    ["10080m", 604_800],
  ])('of the length "%s" has %i seconds', (text, everySeconds) => {
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
  ])("is refused for the string %j, and the error names 'every'", (text) => {
    expect(() => parseEvery(text)).toThrow(
      expect.objectContaining({ code: "INVALID_PARAM", status: 400, details: { param: "every" } }),
    );
  });
});

describe("the documented pattern of 'every'", () => {
  it("matches exactly the accepted cadences", () => {
    const pattern = new RegExp(everyPattern);
    const isAccepted = (text: string): boolean => {
      try {
        return parseEvery(text).every === text;
      } catch {
        return false;
      }
    };
    for (const unit of ["m", "h", "d", "s", ""]) {
      for (let n = 0; n <= 10_100; n += 1) {
        const text = `${n}${unit}`;
        if (pattern.test(text) !== isAccepted(text)) expect.unreachable(text);
      }
    }
    expect(pattern.test("05m")).toBe(false);
  });
});

describe("the next run of a cadence", () => {
  it("is due a whole number of intervals after the last due time, and after the current time", () => {
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

describe("the next run of a cron", () => {
  const noon = cronSchedule("0 12 * * *", "Europe/Berlin");

  it.each([
    ["2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z", "2026-03-01T11:00:00.000Z"],
    ["2026-03-01T11:00:00Z", "2026-03-01T11:00:20Z", "2026-03-02T11:00:00.000Z"],
    ["2026-03-01T11:00:00Z", "2026-03-08T11:00:00Z", "2026-03-09T11:00:00.000Z"],
    ["2026-03-05T11:00:00Z", "2026-03-01T00:00:00Z", "2026-03-06T11:00:00.000Z"],
    ["2026-03-28T11:00:00Z", "2026-03-28T11:00:00Z", "2026-03-29T10:00:00.000Z"],
  ])(
    "at noon in Berlin, after the due time %s and at the current time %s, is due at %s",
    (due, now, next) => {
      expect(nextRunAfter(noon, new Date(due), new Date(now)).toISOString()).toBe(next);
    },
  );
});

describe("the next due times of a schedule", () => {
  const hourly = parseEvery("1h");
  const times = (list: readonly Date[]): string[] =>
    list.map((at) => at.toISOString().slice(11, 16));

  it("begin with the stored due time if that time is in the future, and otherwise with the next due time", () => {
    const now = new Date("2026-03-01T10:30:00Z");
    const ahead = { due: new Date("2026-03-01T10:45:00Z"), now, count: 3 };
    const overdue = { due: new Date("2026-03-01T09:10:00Z"), now, count: 3 };

    expect(times(nextRunTimes(hourly, ahead))).toEqual(["10:45", "11:45", "12:45"]);
    expect(times(nextRunTimes(hourly, overdue))).toEqual(["11:10", "12:10", "13:10"]);
    const cron = cronSchedule("15 * * * *", "UTC");
    expect(times(nextRunTimes(cron, ahead))).toEqual(["10:45", "11:15", "12:15"]);
    expect(times(nextRunTimes(cron, overdue))).toEqual(["11:15", "12:15", "13:15"]);
  });

  it("are after the start of the preview if they are calculated for a preview", () => {
    const after = new Date("2026-03-01T10:15:00Z");

    expect(times(runTimesAfter(hourly, after, 2))).toEqual(["11:15", "12:15"]);
    expect(times(runTimesAfter(cronSchedule("15 * * * *", "UTC"), after, 1))).toEqual(["11:15"]);
  });
});

describe("a step value in a new cron", () => {
  it.each([
    "*/60 * * * *",
    "0 */24 * * *",
    "0 0 */31 * *",
    "0 0 1 */12 *",
    "0 0 * * */7",
    "0-30/10 * * * *",
    "0-30/40 * * * *",
    "0 0 * JAN-DEC/12 SUN-SAT/7",
  ])("is accepted if it is at most the number of values in its field (the cron: %s)", (cron) => {
    expect(parseSchedule({ cron })).toMatchObject({ type: "cron", cron });
  });

  it.each([
    ["*/61 * * * *", "'*/61' in its minute field. The step must be at most 60,"],
    ["*/200 * * * *", "'*/200' in its minute field. The step must be at most 60,"],
    ["*/99999999999999999999 * * * *", "in its minute field. The step must be at most 60,"],
    ["0,0-30/61 * * * *", "'0-30/61' in its minute field. The step must be at most 60,"],
    ["0 */25 * * *", "'*/25' in its hour field. The step must be at most 24,"],
    ["0 0 */32 * *", "'*/32' in its day-of-month field. The step must be at most 31,"],
    ["0 0 1 JAN-DEC/13 *", "'JAN-DEC/13' in its month field. The step must be at most 12,"],
    ["0 0 * * MON-FRI/8", "'MON-FRI/8' in its day-of-week field. The step must be at most 7,"],
  ])(
    "is refused, with the reason, if it exceeds the number of values in its field (the cron: %s)",
    (cron, reason) => {
      expect(() => parseSchedule({ cron })).toThrow(
        expect.objectContaining({
          code: "INVALID_PARAM",
          message: expect.stringContaining(reason),
          details: { param: "cron" },
        }),
      );
    },
  );
});

describe("the schedule of a watchlist", () => {
  it("is either a cadence or a cron, and the default time zone of a cron is UTC", () => {
    expect(parseSchedule({ every: "1h" })).toEqual(parseEvery("1h"));
    expect(parseSchedule({ cron: " @daily " })).toEqual({
      type: "cron",
      cron: "@daily",
      timezone: "UTC",
    });
  });

  it("equals another schedule only if both have the same cadence, or the same cron and time zone", () => {
    const daily = cronSchedule("@daily", "UTC");
    expect(isSameSchedule(parseEvery("60m"), parseEvery("1h"))).toBe(true);
    expect(isSameSchedule(parseEvery("24h"), daily)).toBe(false);
    expect(isSameSchedule(daily, parseEvery("24h"))).toBe(false);
    expect(isSameSchedule(daily, cronSchedule("@daily", "Asia/Kolkata"))).toBe(false);
    expect(isSameSchedule(daily, { ...daily })).toBe(true);
  });

  it("has its first tick at the next due time after the current time", () => {
    const list = aWatchlist({ nextRunAt: "2026-03-01T10:45:00.000Z" });
    const firstAt = (now: string): string =>
      watchlistSchedule(list, new Date(now)).firstAt.toISOString();

    expect(firstAt("2026-03-01T10:30:00Z")).toBe("2026-03-01T10:45:00.000Z");
    expect(firstAt("2026-03-01T10:45:00Z")).toBe("2026-03-01T11:45:00.000Z");
    expect(firstAt("2026-03-01T13:00:00Z")).toBe("2026-03-01T13:45:00.000Z");
  });
});
