import type { CronFields } from "./fields.ts";

export const dayMs = 86_400_000;
export const dayMinutes = 1_440;

/** The last day that a `Date` can hold, in days since 1970. */
const lastDay = 100_000_000;

/** Local times of a day as minutes since midnight, ascending. */
export function timesOfDay({ hours, minutes }: CronFields): number[] {
  return hours.flatMap((hour) => minutes.map((minute) => hour * 60 + minute));
}

/**
 * Iterates over the days that match the fields, as days since 1970, ascending. Skips whole months
 * that do not match, so that a search over years is fast.
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

/** The most days that each month has. */
const longestMonths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** True if any day can match the fields. For example, 30 February never does. */
export function everFires({ days, months, weekdaysRestricted }: CronFields): boolean {
  return (
    weekdaysRestricted ||
    months.some((month) => days.some((day) => day <= (longestMonths[month - 1] ?? 0)))
  );
}

/** The smallest gap between two times of day, also across midnight, in minutes. */
export function smallestClockGap(fields: CronFields): number {
  const times = timesOfDay(fields);
  return Math.min(smallestStep(times), overnight(times));
}

/**
 * 28 years in a row without a skipped leap day have every kind of year, and every turn of a year.
 * From the first day on, in days since 1970: 2001-01-01 to 2029-01-01.
 */
const cycle = { from: 11_323, to: 21_550 };

/** The smallest gap between two consecutive local times of the schedule, in minutes. */
export function smallestGapMinutes(fields: CronFields): number {
  const times = timesOfDay(fields);
  const days = [...matchingDays(fields, cycle.from, cycle.to)];
  const acrossDays = (smallestStep(days) - 1) * dayMinutes + overnight(times);
  return Math.min(smallestStep(times), acrossDays);
}

/** Minutes from the last time of a day to the first of the next. */
function overnight(times: readonly number[]): number {
  return dayMinutes - (times.at(-1) ?? 0) + (times[0] ?? 0);
}

function smallestStep(ascending: readonly number[]): number {
  const steps = ascending.slice(1).map((value, index) => value - (ascending[index] ?? 0));
  return Math.min(...steps);
}
