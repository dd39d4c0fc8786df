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
/** Converts an ISO 8601 time to the value of a `datetime-local` input, in the browser's time zone. */
export function localOf(iso: string): string {
  const time = new Date(iso);
  const shifted = new Date(time.getTime() - time.getTimezoneOffset() * minuteMs);
  return shifted.toISOString().slice(0, "2026-11-01T08:00".length);
}

/** Below this number of hours, a time is shown in hours. */
const shownHoursMax = 48;
const hoursOfDay = 24;

const counted = (count: number, unit: string): string =>
  `${formatCount(count)} ${count === 1 ? unit : `${unit}s`}`;

/**
 * Formats the time that credits last, rounded down: `less than an hour`, `8 hours`; from two days
 * on, `4 days`.
 */
export function lastingWords(hours: number): string {
  if (hours < 1) return "less than an hour";
  if (hours < shownHoursMax) return counted(Math.floor(hours), "hour");
  return counted(Math.floor(hours / hoursOfDay), "day");
}
