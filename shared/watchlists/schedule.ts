import { invalidParam, missingParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { countOccurrences, nextOccurrence, nextOccurrences } from "../cron/occurrences.ts";
import { refuseLargeSteps } from "../cron/fields.ts";
import { parseCron } from "../cron/parse-cron.ts";

/** A cadence counted from start to start. */
export interface EverySchedule {
  readonly type: "every";
  /** As the client wrote it, such as `15m`. */
  readonly every: string;
  readonly everySeconds: number;
}

/** Times of the wall clock of a zone. */
export interface CronSchedule {
  readonly type: "cron";
  /** As the client wrote it, without the blanks around it. */
  readonly cron: string;
  /** IANA name of the zone that the cron is read in. */
  readonly timezone: string;
}

/** When a list runs. */
export type Schedule = EverySchedule | CronSchedule;

const unitSeconds = new Map([
  ["m", 60],
  ["h", 3_600],
  ["d", 86_400],
]);

/**
 * Accepted cadences for documents: 5 to 10,080 minutes, 1 to 168 hours, or 1 to 7 days. A test holds
 * it against `parseEvery`.
 */
export const everyPattern =
  "^(?:(?:[5-9]|[1-9][0-9]{1,3}|100[0-7][0-9]|10080)m|(?:[1-9][0-9]?|1[0-5][0-9]|16[0-8])h|[1-7]d)$";

/**
 * A cadence in whole minutes, hours or days, 5 minutes to 7 days (specification, section
 * "POST /v1/watchlists").
 * @throws 400 INVALID_PARAM with `param` = `every`.
 */
export function parseEvery(text: string): EverySchedule {
  const match = /^([1-9]\d{0,5})([mhd])$/.exec(text.trim());
  if (match === null) {
    throw invalidParam(
      "every",
      "'every' is a whole number of minutes, hours or days, such as 15m.",
    );
  }
  const everySeconds = Number(match[1]) * (unitSeconds.get(match[2] ?? "") ?? 0);
  const { watchlistEverySecondsMin: min, watchlistEverySecondsMax: max } = limits;
  if (everySeconds < min || everySeconds > max) {
    throw invalidParam("every", "'every' is at least 5m and at most 7d.");
  }
  return { type: "every", every: match[0], everySeconds };
}

/** What a request says of a schedule. */
export interface ScheduleParams {
  readonly every?: string | undefined;
  readonly cron?: string | undefined;
  readonly timezone?: string | undefined;
}

/**
 * The schedule that a request names: a cadence, or a cron in its zone (default: UTC).
 * @throws 400 for none, for both, and for what the specification does not accept of either.
 */
export function parseSchedule(params: ScheduleParams): Schedule {
  refuseMixed(params);
  const { every, cron, timezone = "UTC" } = params;
  if (every !== undefined) return parseEvery(every);
  if (cron !== undefined) return newCronSchedule(cron, timezone);
  throw missingParam("every", "A schedule is required. Send 'every' or 'cron'.");
}

/** @throws 400 for parameters of a cadence and of a cron in one request. */
export function refuseMixed({ every, cron, timezone }: ScheduleParams): void {
  if (every === undefined) return;
  if (cron !== undefined) throw invalidParam("cron", "Send 'every' or 'cron', not both.");
  if (timezone !== undefined) {
    throw invalidParam("timezone", "'timezone' goes with 'cron' only. Leave it out with 'every'.");
  }
}

/**
 * The schedule of an expression that a request names; `stored` is the one that the watchlist has,
 * which stays accepted.
 * @throws 400 that names `cron` or `timezone`.
 */
export function newCronSchedule(cron: string, timezone: string, stored?: string): CronSchedule {
  const schedule = cronSchedule(cron, timezone);
  if (schedule.cron !== stored) refuseLargeSteps(schedule.cron);
  return schedule;
}

/** @throws 400 that names `cron` or `timezone`. */
export function cronSchedule(cron: string, timezone: string): CronSchedule {
  const parsed = parseCron(cron, timezone);
  return { type: "cron", cron: parsed.expression, timezone: parsed.timezone };
}

/**
 * When a list is due next that was due at `due`: later than `now`; of a cadence on the grid of
 * `due`.
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

/** The first `count` times later than `after`; a cadence is counted from `after`. */
export function runTimesAfter(schedule: Schedule, after: Date, count: number): readonly Date[] {
  if (schedule.type === "cron") {
    return nextOccurrences(parseCron(schedule.cron, schedule.timezone), after, count);
  }
  const stepMs = schedule.everySeconds * 1_000;
  return Array.from({ length: count }, (_, n) => new Date(after.getTime() + (n + 1) * stepMs));
}

/** How many times are later than `after`, up to and at `until`; a cadence is counted from `after`. */
export function countRuns(schedule: Schedule, after: Date, until: Date): number {
  if (schedule.type === "cron") {
    return countOccurrences(parseCron(schedule.cron, schedule.timezone), after, until);
  }
  return Math.floor((until.getTime() - after.getTime()) / (schedule.everySeconds * 1_000));
}

/**
 * The first `count` times later than `now` at which a list will be due that is due at `due`.
 */
export function nextRunTimes(
  schedule: Schedule,
  { due, now, count }: { readonly due: Date; readonly now: Date; readonly count: number },
): readonly Date[] {
  const first = due > now ? due : nextRunAfter(schedule, due, now);
  return [first, ...runTimesAfter(schedule, first, count - 1)];
}

/** Equal schedules make a list due at the same times. */
export function isSameSchedule(a: Schedule, b: Schedule): boolean {
  if (a.type === "every") return b.type === "every" && a.everySeconds === b.everySeconds;
  return b.type === "cron" && a.cron === b.cron && a.timezone === b.timezone;
}

/** A schedule in the wire's words (specification, section "Watchlist"). */
export function presentSchedule(schedule: Schedule): Record<string, unknown> {
  return schedule.type === "every"
    ? { type: "every", every: schedule.every, every_seconds: schedule.everySeconds }
    : { type: "cron", cron: schedule.cron, timezone: schedule.timezone };
}
