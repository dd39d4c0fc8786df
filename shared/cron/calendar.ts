import type { CronFields } from "./fields.ts";

/** Milliseconds of a day in UTC. */
export const dayMs = 86_400_000;
/** Minutes of a day in UTC. */
export const dayMinutes = 1_440;

/** The last day that a `Date` can represent, in days since 1970. */
const lastDay = 100_000_000;

/**
 * Returns the times of day that the hour and minute fields of a cron expression match, in minutes
 * since local midnight, ascending.
 */
export function timesOfDay({ hours, minutes }: CronFields): number[] {
  return hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
}

/**
 * Yields the days from `from` to `to` (inclusive) that match the day and month fields, ascending.
 * If both day fields are restricted, a day need only match one of them. A day is a number of days
 * since 1970-01-01. Skips whole months that do not match, so a search over years is fast.
 */
export function* matchingDays(
  fields: CronFields,
  from: number,
  to: number = lastDay,
): Generator<number> {
  const days = new Set(fields.days);
  const months = new Set(fields.months);
  const weekdays = new Set(fields.weekdays);
  const either = fields.daysRestricted && fields.weekdaysRestricted;
  const date = new Date(from * dayMs);
  date.setUTCDate(1);
  for (let first = dayOf(date); first <= to; first = dayOf(date)) {
    const named = months.has(date.getUTCMonth() + 1);
    date.setUTCMonth(date.getUTCMonth() + 1);
    const next = Math.min(named ? dayOf(date) : first, to + 1);
    for (let day = Math.max(first, from); day < next; day += 1) {
      const onDay = days.has(day - first + 1);
      // 1970 began on a Thursday.
      const onWeekday = weekdays.has((((day + 4) % 7) + 7) % 7);
      if (either ? onDay || onWeekday : onDay && onWeekday) yield day;
    }
  }
}

const dayOf = (date: Date): number => date.getTime() / dayMs;

/** Maximum number of days of each month. */
const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/**
 * Returns true if at least one date matches the day and month fields. For example, no date matches
 * 30 February.
 */
export function everFires({ days, months, weekdaysRestricted }: CronFields): boolean {
  return (
    weekdaysRestricted ||
    months.some((month) => days.some((day) => day <= (longestMonths[month - 1] ?? 0)))
  );
}

/**
 * Returns the smallest gap between two times of day that match the fields, in minutes. Assumes that
 * every day matches the fields, so that the gap from the last time of one day to the first time of
 * the next day counts too.
 */
export function smallestClockGap(fields: CronFields): number {
  const times = timesOfDay(fields);
  return Math.min(smallestStep(times), overnight(times));
}

/**
 * 2001-01-01 to 2029-01-01, in days since 1970. These 28 years contain every kind of year (leap
 * year or not, and first weekday), and every possible pair of consecutive years.
 */
const cycle = { from: 11_323, to: 21_550 };

/**
 * Returns the smallest gap between two consecutive local times that match all fields, in minutes.
 * Ignores daylight-saving changes.
 */
export function smallestGapMinutes(fields: CronFields): number {
  const times = timesOfDay(fields);
  const days = [...matchingDays(fields, cycle.from, cycle.to)];
  const acrossDays = (smallestStep(days) - 1) * dayMinutes + overnight(times);
  return Math.min(smallestStep(times), acrossDays);
}

/** Returns the minutes from the last time of a day to the first time of the next day. */
function overnight(times: readonly number[]): number {
  return dayMinutes - (times.at(-1) ?? 0) + (times[0] ?? 0);
}

/** Returns the smallest difference of successive values; Infinity if there are fewer than two. */
function smallestStep(ascending: readonly number[]): number {
  const steps = ascending.slice(1).map((value, index) => value - (ascending[index] ?? 0));
  return Math.min(...steps);
}
