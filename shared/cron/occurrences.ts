import { assert } from "../base/assert.ts";
import { dayMs, matchingDays, timesOfDay } from "./calendar.ts";
import { spacingMinutes, type Cron } from "./parse-cron.ts";
import { instantOf, offsetAt, offsetsOfDay } from "./zone.ts";

const minuteMs = 60_000;
const spacingMs = spacingMinutes * minuteMs;

/**
 * Returns the first `count` due times of a cron schedule strictly after `after`, ascending.
 * Consecutive due times are at least five minutes apart. Returns fewer only at the end of the range
 * of `Date` (the year 275760), and none if `count` is less than 1.
 */
export function nextOccurrences(cron: Cron, after: Date, count: number): Date[] {
  const foundTimes: Date[] = [];
  if (count < 1) return foundTimes;
  for (const at of spaceOut(instants(cron, firstDayFor(cron, after)))) {
    if (at <= after.getTime()) continue;
    foundTimes.push(new Date(at));
    if (foundTimes.length === count) break;
  }
  return foundTimes;
}

/**
 * Returns the number of due times of a cron schedule strictly after `after` and at or before
 * `until`.
 */
export function countOccurrences(cron: Cron, after: Date, until: Date): number {
  let count = 0;
  for (const at of spaceOut(instants(cron, firstDayFor(cron, after)))) {
    if (at > until.getTime()) break;
    if (at > after.getTime()) count += 1;
  }
  return count;
}

/**
 * Returns the first due time of a cron schedule strictly after `after`. Every schedule that
 * `parseCron` accepts has one.
 */
export function nextOccurrence(cron: Cron, after: Date): Date {
  const [next] = nextOccurrences(cron, after, 1);
  assert(next !== undefined, "an accepted cron expression must have a next time");
  return next;
}

/**
 * Returns the local day at which a search begins: the day before the day of `after`. A local time
 * that the clocks skip is moved to a later instant: usually by an hour, and in zones that crossed
 * the date line by up to a day. Every due time after `after`, or in the five minutes before it, is
 * therefore on this day or later.
 */
function firstDayFor({ timezone }: Cron, after: Date): number {
  const local = after.getTime() + offsetAt(timezone, after.getTime());
  return Math.floor(local / dayMs) - 1;
}

/**
 * Yields the instants of all matching local times from a local day on, ascending, in milliseconds
 * since 1970. The same instant may occur twice.
 */
function* instants({ fields, timezone }: Cron, firstDay: number): Generator<number> {
  const times = timesOfDay(fields).map((minute) => minute * minuteMs);
  let waiting: number[] = [];
  for (const day of matchingDays(fields, firstDay)) {
    const offsets = offsetsOfDay(timezone, day);
    // No instant of this day or of a later day is before `floor`, so all waiting instants before
    // `floor` can be yielded.
    const floor = day * dayMs - Math.max(offsets.before, offsets.after);
    yield* waiting.filter((at) => at < floor);
    waiting = waiting.filter((at) => at >= floor);
    for (const time of times) waiting.push(instantOf(day * dayMs + time, offsets));
    waiting.sort((a, b) => a - b);
  }
  yield* waiting;
}

/**
 * Leaves out instants that are less than five minutes after the previous yielded instant. Local
 * times are at least five minutes apart, so this happens only when the clocks are set forward: a
 * skipped local time becomes a later instant, which can be close to that of another local time.
 */
function* spaceOut(ascending: Iterable<number>): Generator<number> {
  let previous = -Infinity;
  for (const at of ascending) {
    if (at - previous < spacingMs) continue;
    previous = at;
    yield at;
  }
}
