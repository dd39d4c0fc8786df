import { assert } from "../base/assert.ts";
import { dayMs, matchingDays, timesOfDay } from "./calendar.ts";
import { spacingMinutes, type Cron } from "./parse-cron.ts";
import { instantOf, offsetAt, offsetsOfDay } from "./zone.ts";

const minuteMs = 60_000;
const spacingMs = spacingMinutes * minuteMs;

/**
 * When a cron list is due: strictly after `after`, ascending, at least five minutes apart. Fewer
 * than `count` only where time itself ends (the year 275760).
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

/** How often a cron list is due strictly after `after`, up to and at `until`. */
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
 * The local day to begin with: the day before that of `after`. A gap moves times by a day at most
 * (places that crossed the date line skipped a whole one), so what is still to come was due then or
 * later, and what keeps its distance from what is settled by then.
 */
function firstDayFor({ timezone }: Cron, after: Date): number {
  const local = after.getTime() + offsetAt(timezone, after.getTime());
  return Math.floor(local / dayMs) - 1;
}

/** The instants of all local times from a local day on, in their order, doubles among them. */
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
 * Leaves out what comes less than five minutes after what was due before it. Local times keep that
 * distance, so only a gap in the clocks brings them closer: it moves a skipped time onto another
 * (one run then, not two) or near to one, or joins the times on both of its sides. The earlier runs
 * and stands for both.
 */
function* spaced(ascending: Iterable<number>): Generator<number> {
  let previous = -Infinity;
  for (const at of ascending) {
    if (at - previous < spacingMs) continue;
    previous = at;
    yield at;
  }
}
