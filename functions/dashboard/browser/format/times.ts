import { formatCount } from "./numbers.ts";

const units = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
] as const;
const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const dateTime = new Intl.DateTimeFormat("en-GB", {
  dateStyle: "medium",
  timeStyle: "medium",
});
const dateOnly = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });
const dayMonth = new Intl.DateTimeFormat("en-GB", {
  day: "numeric",
  month: "short",
  timeZone: "UTC",
});

/**
 * Formats a time relative to `now`: `3 minutes ago`, `in 2 hours`. Within 30 seconds of `now`:
 * `just now` or `in a moment`.
 */
export function formatRelative(time: Date, now: Date): string {
  const seconds = Math.round((time.getTime() - now.getTime()) / 1_000);
  if (Math.abs(seconds) < 30) return seconds > 0 ? "in a moment" : "just now";
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return relative.format(seconds, "second");
}

/** Formats a date and time in the browser's time zone. */
export const formatDateTime = (time: Date): string => dateTime.format(time);
/** Formats a date in the browser's time zone: `28 Nov 2026`. */
export const formatDate = (time: Date): string => dateOnly.format(time);
const axisDay = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const axisTime = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const axisSecond = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const minuteSeconds = 60;
const daySeconds = 86_400;

/**
 * Returns the labels of a time axis in the browser's time zone: `28 Nov`, `14:00` for steps below a
 * day, or `14:00:30` for steps below a minute. A label can have a second line, after a line break:
 * the year of a date, or the day of a time. The first label has this line. A later label has it
 * only if it differs from that of the previous label.
 * @param times in seconds since 1970, ascending
 * @param step seconds between two labels
 */
export function axisLabels(times: readonly number[], step: number): readonly string[] {
  let before = "";
  return times.map((time) => {
    const date = new Date(time * 1_000);
    const [label, within] =
      step >= daySeconds
        ? [axisDay.format(date), String(date.getFullYear())]
        : [(step < minuteSeconds ? axisSecond : axisTime).format(date), axisDay.format(date)];
    const isSame = within === before;
    before = within;
    return isSame ? label : `${label}\n${within}`;
  });
}

/** Formats a UTC date such as `2026-11-21` as `21 Nov`. */
export const formatDay = (date: string): string => dayMonth.format(new Date(`${date}T00:00:00Z`));
/**
 * Converts the value of a `datetime-local` input, which is in the browser's time zone, to ISO 8601
 * in UTC. Returns undefined for an empty or invalid value, such as one with a year of five digits.
 */
export function isoOf(local: string): string | undefined {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}

const minuteMs = 60_000;
/**
 * Converts an ISO 8601 time to the value of a `datetime-local` input, in the browser's time zone.
 */
export function localOf(iso: string): string {
  const time = new Date(iso);
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * minuteMs);
  return shifted.toISOString().slice(0, "2026-11-01T08:00".length);
}

/** Durations below this number of hours are shown in hours. Longer durations are shown in days. */
const shownHoursMax = 48;
const hoursOfDay = 24;

/** Returns true if a duration of this many hours is shown in hours, not in days: below two days. */
export const isShownInHours = (hours: number): boolean => hours < shownHoursMax;

const counted = (count: number, unit: string): string =>
  `${formatCount(count)} ${count === 1 ? unit : `${unit}s`}`;

/**
 * Formats the hours until the credits are used up, rounded down: `less than an hour`, `8 hours`;
 * from two days on, `4 days`.
 */
export function lastingWords(hours: number): string {
  if (hours < 1) return "less than an hour";
  if (isShownInHours(hours)) return counted(Math.floor(hours), "hour");
  return counted(Math.floor(hours / hoursOfDay), "day");
}
