import { dayMinutes, dayMs, timesOfDay } from "./calendar.ts";
import { weekdayNames, type CronFields } from "./fields.ts";
import type { Cron } from "./parse-cron.ts";
import { offsetAt } from "./zone.ts";

/**
 * Number of days from now in which changes of the zone's offset (such as for daylight-saving time)
 * are considered. The number exceeds two years, so it covers every change that recurs each year.
 */
const aheadDays = 800;

/**
 * Converts a cron schedule in a time zone to an expression for EventBridge Scheduler in UTC:
 * `cron(minute hour day-of-month month day-of-week year)`. The expression ticks at every due minute
 * of the next two years. The expression can also tick at other minutes; the run starter ignores
 * these ticks. The expression restricts days and months only if the UTC date equals the local date
 * at every time of day of the schedule. EventBridge cannot restrict both day fields (day of month
 * and day of week). If the schedule restricts both, the expression ticks on all days of the
 * schedule's months.
 */
export function tickerExpression(cron: Cron, now: Date): string {
  const { fields } = cron;
  const times = timesOfDay(fields);
  const utcMinutes = [...offsetsAhead(cron, now)].flatMap((offset) =>
    times.map((time) => Math.floor(time - offset)),
  );
  const withinDay = utcMinutes.every((minute) => minute >= 0 && minute < dayMinutes);
  const ofDay = utcMinutes.map((minute) => (minute + dayMinutes) % dayMinutes);
  return `cron(${[
    listOf(
      ofDay.map((minute) => minute % 60),
      { from: 0, to: 59 },
    ),
    listOf(
      ofDay.map((minute) => Math.floor(minute / 60)),
      { from: 0, to: 23 },
    ),
    ...(withinDay ? daysOf(fields) : ["*", "*", "?"]),
    "*",
  ].join(" ")})`;
}

/**
 * Returns the day of month, the month and the day of week. EventBridge requires `?` in one of the
 * two day fields.
 */
function daysOf(fields: CronFields): [string, string, string] {
  const month = listOf(fields.months, { from: 1, to: 12 });
  if (fields.daysRestricted && fields.weekdaysRestricted) return ["*", month, "?"];
  if (!fields.weekdaysRestricted) return [listOf(fields.days, { from: 1, to: 31 }), month, "?"];
  return ["?", month, fields.weekdays.map((weekday) => weekdayNames[weekday]).join(",")];
}

/** Returns all offsets of the zone from UTC in the next `aheadDays` days, in minutes. */
function offsetsAhead({ timezone }: Cron, now: Date): Set<number> {
  const offsets = new Set<number>();
  // Starts two days before `now`. A due time that the clocks skip is converted with the offset
  // before the change, and the change may have been shortly before `now`.
  for (let day = -2; day <= aheadDays; day += 1) {
    offsets.add(offsetAt(timezone, now.getTime() + day * dayMs) / 60_000);
  }
  return offsets;
}

/** Formats values for EventBridge: consecutive values as a range, all possible values as `*`. */
function listOf(values: readonly number[], all: { from: number; to: number }): string {
  const ascending = [...new Set(values)].sort((a, b) => a - b);
  if (ascending.length === all.to - all.from + 1) return "*";
  const runs: [first: number, last: number][] = [];
  for (const value of ascending) {
    const run = runs.at(-1);
    if (run !== undefined && run[1] === value - 1) run[1] = value;
    else runs.push([value, value]);
  }
  return runs.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}
