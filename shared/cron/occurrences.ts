import { assert } from "../base/assert.ts";
import { dayMs, matchingDays, timesOfDay } from "./calendar.ts";
import { spacingMinutes, type Cron } from "./parse-cron.ts";
import { instantOf, offsetAt, offsetsOfDay } from "./zone.ts";

const minuteMs = 60_000;
const spacingMs = spacingMinutes * minuteMs;

/**
 * The due times of a cron strictly after `after`, ascending, at least five minutes apart. Fewer than
 * `count` only at the end of the range of `Date` (the year 275760).
 */
export function nextOccurrences(cron: Cron, after: Date, count: number): Date[] {
  const found: Date[] = [];
  if (count < 1) return found;
  for (const at of spaced(instants(cron, firstDayFor(cron, after)))) {
    if (at <= after.getTime()) continue;
    found.push(new Date(at));
    if (found.length === count) break;
  }
  return found;
}

/** Number of due times strictly after `after` and not later than `until`. */
export function countOccurrences(cron: Cron, after: Date, until: Date): number {
  let count = 0;
  for (const at of spaced(instants(cron, firstDayFor(cron, after)))) {
    if (at > until.getTime()) break;
    if (at > after.getTime()) count += 1;
  }
  return count;
}

/** The first due time strictly after `after`. */
export function nextOccurrence(cron: Cron, after: Date): Date {
  const [next] = nextOccurrences(cron, after, 1);
  assert(next !== undefined, "a cron that was accepted fires again");
  return next;
}

/**
 * The local day at which a search begins: the day before that of `after`. A gap of the clocks moves
 * times by at most a day (zones that crossed the date line), so no due time after `after`, and none
 * within five minutes before it, comes from an earlier day.
 */
function firstDayFor({ timezone }: Cron, after: Date): number {
  const local = after.getTime() + offsetAt(timezone, after.getTime());
  return Math.floor(local / dayMs) - 1;
}

/** The instants of all local times from a local day on, in order, including duplicates. */
function* instants({ fields, timezone }: Cron, firstDay: number): Generator<number> {
  const times = timesOfDay(fields).map((minute) => minute * minuteMs);
  let waiting: number[] = [];
  for (const day of matchingDays(fields, firstDay)) {
    const offsets = offsetsOfDay(timezone, day);
    // Nothing of this day or a later one comes before this.
    const floor = day * dayMs - Math.max(offsets.before, offsets.after);
    yield* waiting.filter((at) => at < floor);
    waiting = waiting.filter((at) => at >= floor);
    for (const time of times) waiting.push(instantOf(day * dayMs + time, offsets));
    waiting.sort((a, b) => a - b);
  }
  yield* waiting;
}

/**
 * Omits times less than five minutes after the previous one. Local times are further apart, so only a
 * gap of the clocks brings them closer: it moves a skipped time onto or near another one, or joins
 * the times on both of its sides. The earlier time remains.
 */
function* spaced(ascending: Iterable<number>): Generator<number> {
  let previous = -Infinity;
  for (const at of ascending) {
    if (at - previous < spacingMs) continue;
    previous = at;
    yield at;
  }
}
