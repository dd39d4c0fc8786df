import type { Watchlist } from "../../api/resources.ts";
import { fieldMessage } from "../../ui/field-message.ts";

/** The units of an interval as the API writes them, each with its label. */
export const everyUnits = [
  ["m", "minutes"],
  ["h", "hours"],
  ["d", "days"],
] as const;

/** The values of the schedule form. */
export interface ScheduleDraft {
  readonly type: "every" | "cron";
  readonly amount: string;
  readonly unit: string;
  readonly cron: string;
  readonly timezone: string;
}

/** Returns the browser's time zone, such as `Europe/Berlin`. */
export const ownZone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;

/**
 * Returns the default schedule: every hour, with the browser's time zone for cron expressions.
 */
export const newSchedule = (): ScheduleDraft => ({
  type: "every",
  amount: "1",
  unit: "h",
  cron: "0 9 * * MON-FRI",
  timezone: ownZone(),
});

/** Returns the draft for the schedule of a watchlist. */
export function scheduleDraftOf({ schedule }: Watchlist): ScheduleDraft {
  const draft = newSchedule();
  if (schedule.type === "cron") return { ...draft, ...schedule };
  return { ...draft, amount: schedule.every.slice(0, -1), unit: schedule.every.slice(-1) };
}

/** The fields of a request body that set the schedule. */
export interface ScheduleFields {
  readonly every?: string;
  readonly cron?: string;
  readonly timezone?: string;
}

/**
 * Returns the fields of the API for a draft: an interval, or a cron expression with its time zone.
 */
export const scheduleFieldsOf = (draft: ScheduleDraft): ScheduleFields =>
  draft.type === "every"
    ? { every: `${draft.amount.trim()}${draft.unit}` }
    : { cron: draft.cron.trim(), timezone: draft.timezone.trim() };

/**
 * Returns an error message about the interval of a draft, for the form with separate fields for
 * number and unit. If the number is missing or is not a whole number, the message is about this
 * number. Otherwise the message is that of the service, without the name of the parameter.
 * @param message the error of the service
 */
export function intervalMessage({ amount }: ScheduleDraft, message: string): string {
  const typed = amount.trim();
  if (typed === "") return "The interval is empty. Enter a whole number, such as 15.";
  return /^\d+$/.test(typed)
    ? fieldMessage("The interval", message)
    : `The interval must be a whole number, such as 15 (got "${typed}").`;
}

/** Returns the fields of the API that set a schedule. */
export const scheduleFieldsIn = (schedule: Watchlist["schedule"]): ScheduleFields =>
  schedule.type === "cron"
    ? { cron: schedule.cron, timezone: schedule.timezone }
    : { every: schedule.every };

/**
 * Returns the time (ISO 8601) from which the service counts the interval of a watchlist: the last
 * run if the draft changes the interval, otherwise one interval before the next run. Returns null
 * for a cron expression. Also returns null if the interval would start when the draft is saved,
 * because the watchlist is paused or has not run.
 */
export function intervalStart(draft: ScheduleDraft, list: Watchlist): string | null {
  if (list.status === "paused" || draft.type === "cron") return null;
  const before = scheduleFieldsIn(list.schedule);
  if (before.every !== scheduleFieldsOf(draft).every) return list.last_run_at;
  const next = list.next_run_at;
  if (next === null || list.every_seconds === null) return null;
  return new Date(Date.parse(next) - list.every_seconds * 1_000).toISOString();
}

/** Returns a schedule as a string: `every 15 minutes`, `0 12 * * * (Europe/Berlin)`. */
export function scheduleWords(schedule: Watchlist["schedule"]): string {
  if (schedule.type === "cron") return `${schedule.cron} (${schedule.timezone})`;
  const amount = Number(schedule.every.slice(0, -1));
  const unit = everyUnits.find(([letter]) => letter === schedule.every.slice(-1))?.[1] ?? "";
  return amount === 1 ? `every ${unit.slice(0, -1)}` : `every ${amount} ${unit}`;
}

/**
 * Formats a time in a time zone: `Mon 23 Nov 2026, 12:00 CET`.
 * @throws RangeError if the time zone is unknown
 */
export const formatInZone = (time: string, timeZone: string): string =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone,
    weekday: "short",
    day: "numeric",
    month: "short",
    year: "numeric",
    hour: "2-digit",
    minute: "2-digit",
    timeZoneName: "short",
  }).format(new Date(time));
