import { invalidParam, missingParam } from "../base/errors.ts";
import { secondsOf } from "../base/duration.ts";
import { limits } from "../base/limits.ts";
import { formatValue } from "../base/shown-value.ts";
import { countOccurrences, nextOccurrence, nextOccurrences } from "../cron/occurrences.ts";
import { refuseLargeSteps } from "../cron/fields.ts";
import { parseCron } from "../cron/parse-cron.ts";

/** A fixed time between the starts of two runs. */
export interface EverySchedule {
  readonly type: "every";
  /** Text as sent by the client, trimmed, such as `15m`. */
  readonly every: string;
  readonly everySeconds: number;
}

/** A cron expression in a time zone. */
export interface CronSchedule {
  readonly type: "cron";
  /** Expression as sent by the client, trimmed. */
  readonly cron: string;
  /** IANA name of the time zone. */
  readonly timezone: string;
}

/** The schedule of a watchlist. */
export type Schedule = EverySchedule | CronSchedule;

/**
 * Pattern of `every` for the OpenAPI document: 5 to 10,080 minutes, 1 to 168 hours, or 1 to 7 days.
 * A test checks that `parseEvery` accepts the same values.
 */
export const everyPattern =
  "^(?:(?:[5-9]|[1-9][0-9]{1,3}|100[0-7][0-9]|10080)m|(?:[1-9][0-9]?|1[0-5][0-9]|16[0-8])h|[1-7]d)$";

/**
 * Parses the interval of a schedule, such as `15m`: 5 minutes to 7 days, in whole minutes, hours or
 * days (specification, section "POST /v1/watchlists").
 * @throws 400 INVALID_PARAM with `param` = `every`
 */
export function parseEvery(text: string): EverySchedule {
  const every = text.trim();
  const everySeconds = secondsOf(every);
  if (everySeconds === undefined) {
    throw invalidParam(
      "every",
      `'every' must be a whole number with m, h or d, such as 15m (got ${formatValue(text)}).`,
    );
  }
  const { watchlistEverySecondsMin: min, watchlistEverySecondsMax: max } = limits;
  if (everySeconds < min || everySeconds > max) {
    throw invalidParam("every", `'every' must be from 5m to 7d (got ${formatValue(text)}).`);
  }
  return { type: "every", every, everySeconds };
}

/** The schedule parameters of a request. */
export interface ScheduleParams {
  readonly every?: string | undefined;
  readonly cron?: string | undefined;
  readonly timezone?: string | undefined;
}

/**
 * Parses the schedule of a request: an interval, or a cron expression with a time zone (default
 * UTC).
 * @throws 400 if the request has no schedule or two schedules, or for an invalid value
 */
export function parseSchedule(params: ScheduleParams): Schedule {
  refuseMixed(params);
  const { every, cron, timezone = "UTC" } = params;
  if (every !== undefined) return parseEvery(every);
  if (cron !== undefined) return newCronSchedule(cron, timezone);
  throw missingParam("every", "A schedule is required. Send 'every' or 'cron'.");
}

/**
 * Refuses an interval together with a cron expression or a time zone.
 * @throws 400 if `every` is combined with `cron` or `timezone`
 */
export function refuseMixed({ every, cron, timezone }: ScheduleParams): void {
  if (every === undefined) return;
  if (cron !== undefined) throw invalidParam("cron", "Send 'every' or 'cron', not both.");
  if (timezone !== undefined) {
    throw invalidParam("timezone", "'timezone' applies to 'cron' only. Omit it with 'every'.");
  }
}

/**
 * Parses the cron expression of a request. Refuses a step that exceeds the number of values of its
 * field, such as 61 for minutes. Exception: accepts an expression that equals `stored`, the
 * watchlist's current expression, because an earlier release accepted such steps.
 * @throws 400 that names `cron` or `timezone`
 */
export function newCronSchedule(cron: string, timezone: string, stored?: string): CronSchedule {
  const schedule = cronSchedule(cron, timezone);
  if (schedule.cron !== stored) refuseLargeSteps(schedule.cron);
  return schedule;
}

/**
 * Parses a cron expression. Also accepts the steps that `newCronSchedule` refuses, because an
 * earlier release stored such expressions.
 * @throws 400 that names `cron` or `timezone`
 */
export function cronSchedule(cron: string, timezone: string): CronSchedule {
  const parsed = parseCron(cron, timezone);
  return { type: "cron", cron: parsed.expression, timezone: parsed.timezone };
}

/**
 * Returns the first due time that is later than both `due`, the current due time, and `now`. The
 * due times of an interval (`every`) are `due` plus whole intervals.
 */
export function nextRunAfter(schedule: Schedule, due: Date, now: Date): Date {
  if (schedule.type === "cron") {
    const cron = parseCron(schedule.cron, schedule.timezone);
    return nextOccurrence(cron, due > now ? due : now);
  }
  const stepMs = schedule.everySeconds * 1_000;
  const missed = Math.floor(Math.max(0, now.getTime() - due.getTime()) / stepMs);
  return new Date(due.getTime() + (missed + 1) * stepMs);
}

/**
 * Returns the first `count` due times later than `after`. The due times of an interval (`every`)
 * are `after` plus whole intervals.
 */
export function runTimesAfter(schedule: Schedule, after: Date, count: number): readonly Date[] {
  if (schedule.type === "cron") {
    return nextOccurrences(parseCron(schedule.cron, schedule.timezone), after, count);
  }
  const stepMs = schedule.everySeconds * 1_000;
  return Array.from({ length: count }, (_, n) => new Date(after.getTime() + (n + 1) * stepMs));
}

/**
 * Returns the number of due times later than `after` and at or before `until`. The due times of an
 * interval (`every`) are `after` plus whole intervals.
 */
export function countRuns(schedule: Schedule, after: Date, until: Date): number {
  if (schedule.type === "cron") {
    return countOccurrences(parseCron(schedule.cron, schedule.timezone), after, until);
  }
  return Math.floor((until.getTime() - after.getTime()) / (schedule.everySeconds * 1_000));
}

/**
 * Returns the first `count` due times after `now` of a watchlist whose stored due time is `due`.
 * @param count at least 1
 */
export function nextRunTimes(
  schedule: Schedule,
  { due, now, count }: { readonly due: Date; readonly now: Date; readonly count: number },
): readonly Date[] {
  const first = due > now ? due : nextRunAfter(schedule, due, now);
  return [first, ...runTimesAfter(schedule, first, count - 1)];
}

/**
 * Returns true if both schedules have the same interval, or the same cron expression and time zone.
 * Different expressions are not equal, even if they have the same due times.
 */
export function isSameSchedule(a: Schedule, b: Schedule): boolean {
  if (a.type === "every") return b.type === "every" && a.everySeconds === b.everySeconds;
  return b.type === "cron" && a.cron === b.cron && a.timezone === b.timezone;
}

/** Converts a schedule to its form in API responses (specification, section "Watchlist"). */
export function presentSchedule(schedule: Schedule): Record<string, unknown> {
  return schedule.type === "every"
    ? { type: "every", every: schedule.every, every_seconds: schedule.everySeconds }
    : { type: "cron", cron: schedule.cron, timezone: schedule.timezone };
}
