import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseExpression } from "../../../tools/local/schedule-expression.ts";
import { isServiceError } from "../../../shared/base/errors.ts";
import { nextOccurrences } from "../../../shared/cron/occurrences.ts";
import { parseCron, type Cron } from "../../../shared/cron/parse-cron.ts";
import { tickerExpression } from "../../../shared/cron/ticker-expression.ts";
import { changeAfter, randomCron, randomZone } from "./random-crons.ts";

/** `CRON_RUNS=6000 npm test -- test/shared/cron` tests 6,000 cases instead of 10. */
const numRuns = Number(process.env["CRON_RUNS"] ?? 10);

const now = new Date("2026-11-20T10:00:00Z");
const dayMs = 86_400_000;

describe("the EventBridge Scheduler expression of a cron in UTC", () => {
  it.each([
    ["0 9 * * *", "cron(0 9 * * ? *)"],
    ["*/20 * * * *", "cron(0,20,40 * * * ? *)"],
    ["5-59/10 8-18 * * MON-FRI", "cron(5,15,25,35,45,55 8-18 ? * MON,TUE,WED,THU,FRI *)"],
    ["0 0 1,15 */3 *", "cron(0 0 1,15 1,4,7,10 ? *)"],
    ["0 0 * * 7", "cron(0 0 ? * SUN *)"],
    ["0 0 29 2 *", "cron(0 0 29 2 ? *)"],
    // Either day field may match, which EventBridge cannot express.
    ["0 0 13 11 FRI", "cron(0 0 * 11 ? *)"],
  ])("for the cron %s is the expression %s", (expression, ticker) => {
    expect(tickerExpression(parseCron(expression, "UTC"), now)).toBe(ticker);
  });
});

describe("the EventBridge Scheduler expression of a cron in a time zone", () => {
  it.each([
    ["0 9 * * *", "Europe/Berlin", "cron(0 7-8 * * ? *)"],
    ["30 10 * * MON", "Asia/Kathmandu", "cron(45 4 ? * MON *)"],
    ["0 12 1 * *", "Australia/Lord_Howe", "cron(0,30 1 1 * ? *)"],
    // Midnight is on another day in UTC, so the schedule fires every day.
    ["0 0 1 1 *", "Europe/Berlin", "cron(0 22-23 * * ? *)"],
    ["0 20 * 6 SUN", "America/New_York", "cron(0 0-1 * * ? *)"],
  ])("for the cron %s in the zone %s is the expression %s", (expression, zone, ticker) => {
    expect(tickerExpression(parseCron(expression, zone), now)).toBe(ticker);
  });

  // In Pyongyang, the offset changed from +08:30 to +09:00 at 2018-05-04T15:00Z.
  it.each([
    ["changed less than two days ago", "2018-05-06T10:00:00Z", "cron(0,30 2 * * ? *)"],
    ["changed three days ago", "2018-05-07T15:00:00Z", "cron(0 2 * * ? *)"],
    ["changes in 800 days", "2016-02-24T15:00:00Z", "cron(0,30 2 * * ? *)"],
    ["changes in 801 days", "2016-02-23T15:00:00Z", "cron(30 2 * * ? *)"],
  ])(
    "covers each UTC offset of a time zone whose offset changes (the offset %s)",
    (_when, at, ticker) => {
      const cron = parseCron("0 11 * * *", "Asia/Pyongyang");
      expect(tickerExpression(cron, new Date(at))).toBe(ticker);
    },
  );

  it("fires every day if the cron names a day of the month and its local time is on the next day in UTC, even exactly at midnight", () => {
    const bogota = parseCron("0 19 1 * *", "America/Bogota");
    expect(tickerExpression(bogota, now)).toBe("cron(0 0 * * ? *)");
  });
});

describe("the EventBridge Scheduler expressions of random crons", () => {
  it("fire at every due time of the cron in the next two years", () => {
    fc.assert(
      fc.property(
        randomCron.map(({ expression }) => expression),
        randomZone,
        fc.date({
          min: new Date("1971-01-01T00:00:00Z"),
          max: new Date("2036-01-01T00:00:00Z"),
          noInvalidDate: true,
        }),
        (expression, zone, from) => {
          const cron = accepted(expression, zone);
          fc.pre(cron !== null);
          const ticker = tickerExpression(cron, from);
          expect(ticker.length).toBeLessThanOrEqual(256);
          const missed = dueInTwoYears(cron, from).filter((at) => !isTicked(ticker, at));
          expect({ ticker, missed }).toEqual({ ticker, missed: [] });
        },
      ),
      { numRuns },
    );
  });

  it("can be evaluated by the Scheduler of the local server", () => {
    fc.assert(
      fc.property(
        randomCron.map(({ expression }) => expression),
        randomZone,
        (expression, zone) => {
          const cron = accepted(expression, zone);
          fc.pre(cron !== null);
          const ticker = tickerExpression(cron, now);
          const occurrences = parseExpression({
            expression: ticker,
            startDate: now,
            endDate: null,
          });
          for (const at of nextOccurrences(cron, now, 20)) {
            expect(occurrences.next(new Date(at.getTime() - 1))).toEqual(at);
          }
        },
      ),
      { numRuns },
    );
  });
});

function accepted(expression: string, zone: string): Cron | null {
  try {
    return parseCron(expression, zone);
  } catch (error) {
    if (isServiceError(error)) return null;
    throw error;
  }
}

/**
 * Returns due times within two years: the next due time, the due times at each clock change, and 30
 * due times a month.
 */
function dueInTwoYears(cron: Cron, from: Date): Date[] {
  const until = new Date(from.getTime() + 730 * dayMs);
  const starts: Date[] = [];
  for (let at = from; at < until; at = new Date(at.getTime() + 30 * dayMs)) starts.push(at);
  let change = changeAfter(cron.timezone, from);
  while (change !== null && change < until) {
    starts.push(new Date(Math.max(from.getTime(), change.getTime() - dayMs / 8)));
    change = changeAfter(cron.timezone, change);
  }
  return [nextOccurrences(cron, from, 400), ...starts.map((at) => nextOccurrences(cron, at, 30))]
    .flat()
    .filter((at) => at < until);
}

const weekdays = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

/**
 * Returns true if EventBridge would fire in the minute of an instant. Parses only the forms of
 * expressions above, and shares no code with the service.
 */
function isTicked(ticker: string, at: Date): boolean {
  const fields = ticker.replace(/^cron\((.*)\)$/, "$1").split(" ");
  const [minute, hour, day, month, weekday, ...year] = fields;
  expect(year).toEqual(["*"]);
  expect([day, weekday].filter((field) => field === "?")).toHaveLength(1);
  return (
    has(minute, at.getUTCMinutes()) &&
    has(hour, at.getUTCHours()) &&
    has(day, at.getUTCDate()) &&
    has(month, at.getUTCMonth() + 1) &&
    has(weekday, at.getUTCDay())
  );
}

function has(field: string | undefined, value: number): boolean {
  if (field === undefined) return false;
  return (
    ["*", "?"].includes(field) ||
    field.split(",").some((part) => {
      const ends = part.split("-");
      const [from = NaN, to = from] = ends.map((end) =>
        weekdays.includes(end) ? weekdays.indexOf(end) : Number(end),
      );
      return from <= value && value <= to;
    })
  );
}
