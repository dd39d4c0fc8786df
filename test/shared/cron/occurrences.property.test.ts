import fc from "fast-check";
import { Temporal } from "temporal-polyfill";
import { describe, expect, it } from "vitest";
import { isServiceError } from "../../../shared/base/errors.ts";
import { nextOccurrence, nextOccurrences } from "../../../shared/cron/occurrences.ts";
import { parseCron, type Cron } from "../../../shared/cron/parse-cron.ts";
import { randomCron, randomMoment, type RandomCron } from "./random-crons.ts";

/** `CRON_RUNS=6000 npm test -- test/shared/cron` tests 6,000 cases instead of 50. */
const numRuns = Number(process.env["CRON_RUNS"] ?? 50);

const minuteMs = 60_000;
const spacingMs = 5 * minuteMs;

/**
 * Returns the parsed cron, or null if the expression is refused because it fires too often or
 * never.
 */
function accepted({ expression }: RandomCron, zone: string): Cron | null {
  try {
    return parseCron(expression, zone);
  } catch (error) {
    if (isServiceError(error) && /never fires|has two times only/.test(error.message)) return null;
    throw error;
  }
}

function isDay(cron: RandomCron, date: Temporal.PlainDate): boolean {
  const onDay = cron.days.has(date.day);
  const onWeekday = cron.weekdays.has(date.dayOfWeek);
  return cron.months.has(date.month) && (cron.eitherDay ? onDay || onWeekday : onDay && onWeekday);
}

/**
 * Returns the instants of all matching local minutes in `days` days from `first`, in milliseconds
 * since 1970, ascending and without duplicates. Converts local times with Temporal's rule
 * `compatible`.
 */
function compatibleInstants(
  cron: RandomCron,
  { zone, first, days }: { zone: string; first: Temporal.PlainDate; days: number },
): number[] {
  const found = new Set<number>();
  for (let ahead = 0; ahead < days; ahead += 1) {
    const date = first.add({ days: ahead });
    if (!isDay(cron, date)) continue;
    for (let minute = 0; minute < 1_440; minute += 1) {
      const time = { hour: Math.floor(minute / 60), minute: minute % 60 };
      if (!cron.hours.has(time.hour) || !cron.minutes.has(time.minute)) continue;
      const local = date.toPlainDateTime(time);
      found.add(local.toZonedDateTime(zone, { disambiguation: "compatible" }).epochMilliseconds);
    }
  }
  return [...found].sort((a, b) => a - b);
}

/** Leaves out each instant that is less than five minutes after the last kept instant. */
function keepDistance(instants: readonly number[]): number[] {
  const kept: number[] = [];
  for (const at of instants) if (at - (kept.at(-1) ?? -Infinity) >= spacingMs) kept.push(at);
  return kept;
}

const dayOf = (zone: string, at: Date): Temporal.PlainDate =>
  Temporal.Instant.fromEpochMilliseconds(at.getTime()).toZonedDateTimeISO(zone).toPlainDate();

describe("the occurrences of random crons in all time zones", () => {
  it('equal the times that Temporal returns with the option "compatible", apart from times less than five minutes after the previous due time', () => {
    fc.assert(
      fc.property(randomCron, randomMoment, (random, { zone, after }) => {
        const cron = accepted(random, zone);
        fc.pre(cron !== null);
        // The span starts earlier, because instants before `after` decide which later instants are
        // left out.
        const first = dayOf(zone, after).subtract({ days: 4 });
        const days = random.minutes.size * random.hours.size > 24 ? 8 : 60;
        const until = after.getTime() + (days - 7) * 86_400_000;
        const due = keepDistance(compatibleInstants(random, { zone, first, days }));
        const expected = due.filter((at) => at > after.getTime() && at < until);
        const found = nextOccurrences(cron, after, expected.length + 1).map((at) => at.getTime());
        expect(found.slice(0, -1)).toEqual(expected);
        expect(found.at(-1)).toBeGreaterThanOrEqual(until);
      }),
      { numRuns },
    );
  });

  it("omit a local time only if an earlier due time is less than five minutes before it", () => {
    fc.assert(
      fc.property(randomCron, randomMoment, (random, { zone, after }) => {
        const cron = accepted(random, zone);
        fc.pre(cron !== null);
        const first = dayOf(zone, after);
        const mapped = compatibleInstants(random, { zone, first, days: 3 });
        for (const at of mapped) {
          const due = nextOccurrence(cron, new Date(at - spacingMs)).getTime();
          expect(due).toBeLessThanOrEqual(at);
        }
      }),
      { numRuns: Math.ceil(numRuns / 3) },
    );
  });

  it("are the same, in ascending order, whether the service computes them together or one by one", () => {
    fc.assert(
      fc.property(randomCron, randomMoment, (random, { zone, after }) => {
        const cron = accepted(random, zone);
        fc.pre(cron !== null);
        const found = nextOccurrences(cron, after, 40);
        expect(found).toHaveLength(40);
        expect(found[0]?.getTime()).toBeGreaterThan(after.getTime());
        let previous = after;
        for (const [index, at] of found.entries()) {
          expect(nextOccurrence(cron, previous)).toEqual(at);
          if (index > 0)
            expect(at.getTime() - previous.getTime()).toBeGreaterThanOrEqual(spacingMs);
          previous = at;
        }
      }),
      { numRuns },
    );
  });
});

describe("random cron expressions", () => {
  it("are refused exactly if two of their local times are less than five minutes apart, or if they have no due time", () => {
    fc.assert(
      fc.property(randomCron, (random) => {
        expect(accepted(random, "UTC") !== null).toBe(isAcceptable(random));
      }),
      { numRuns },
    );
  });
});

/** 28 years with 7 leap days, after which dates fall on the same weekdays again. */
const cycleDays = 28 * 365 + 7;

function isAcceptable(cron: RandomCron): boolean {
  const hours = [...cron.hours].sort((a, b) => a - b);
  const minutes = [...cron.minutes].sort((a, b) => a - b);
  const times = hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
  const [first = NaN] = times;
  const last = times.at(-1) ?? NaN;
  let previousDay = -Infinity;
  for (let day = 0; day < cycleDays; day += 1) {
    const date = new Date(Date.UTC(2001, 0, 1 + day));
    const onDay = cron.days.has(date.getUTCDate());
    const onWeekday = cron.weekdays.has(date.getUTCDay() || 7);
    const isNamed = cron.eitherDay ? onDay || onWeekday : onDay && onWeekday;
    if (!isNamed || !cron.months.has(date.getUTCMonth() + 1)) continue;
    if ((day - previousDay) * 1_440 - last + first < 5) return false;
    previousDay = day;
  }
  const isClose = times.some((time, index) => time - (times[index - 1] ?? -Infinity) < 5);
  return previousDay !== -Infinity && !isClose;
}
