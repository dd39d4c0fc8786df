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

/** `3 minutes ago`, `in 2 hours`; `just now` within half a minute. */
export function formatRelative(time: Date, now: Date): string {
  const seconds = Math.round((time.getTime() - now.getTime()) / 1_000);
  if (Math.abs(seconds) < 30) return seconds > 0 ? "in a moment" : "just now";
  for (const [unit, length] of units) {
    if (Math.abs(seconds) >= length) return relative.format(Math.round(seconds / length), unit);
  }
  return relative.format(seconds, "second");
}

/** In the reader's own zone. */
export const formatDateTime = (time: Date): string => dateTime.format(time);
/** `21 Nov` of a UTC date, `2026-11-21`. */
export const formatDay = (date: string): string => dayMonth.format(new Date(`${date}T00:00:00Z`));
/** ISO 8601 of what a control of local time holds; undefined for none, and for a year of five digits. */
export function isoOf(local: string): string | undefined {
  const time = new Date(local);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
