import { invalidParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";

/** When a list runs: a cadence counted from start to start. */
export interface Schedule {
  readonly type: "every";
  /** As the client wrote it, such as `15m`. */
  readonly every: string;
  readonly everySeconds: number;
}

const unitSeconds = new Map([
  ["m", 60],
  ["h", 3_600],
  ["d", 86_400],
]);

/**
 * A cadence in whole minutes, hours or days, 5 minutes to 7 days (specification, section
 * "POST /v1/watchlists").
 * @throws 400 INVALID_PARAM with `param` = `every`.
 */
export function parseEvery(text: string): Schedule {
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

/** The first time on the schedule's grid from `due` that is later than `now`. */
export function nextRunAfter(schedule: Schedule, due: Date, now: Date): Date {
  const stepMs = schedule.everySeconds * 1_000;
  const missed = Math.floor(Math.max(0, now.getTime() - due.getTime()) / stepMs);
  return new Date(due.getTime() + (missed + 1) * stepMs);
}
