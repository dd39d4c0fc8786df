/** A cadence or a cron expression in the format of a request. */
export interface Schedule {
  readonly every?: string;
  readonly cron?: string;
  readonly timezone?: string;
}

const minute = 60_000;
const units: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

/** Converts a cadence such as `6h` to seconds. */
export const secondsOf = (every: string): number =>
  Number(every.slice(0, -1)) * (units[every.at(-1) ?? ""] ?? 0);

export const cadences = ["30m", "1h", "6h", "24h", "7d", "2h", "12h"] as const;

/** Invalid schedules, each with the error's `param`. */
export const refusedSchedules: readonly (Schedule & { readonly param: string })[] = [
  { every: "4m", param: "every" },
  { every: "8d", param: "every" },
  { every: "15", param: "every" },
  { every: "1.5h", param: "every" },
  { cron: "*/7 * * * *", param: "cron" },
  { cron: "0 0 30 2 *", param: "cron" },
  { cron: "0 0 12 * * *", param: "cron" },
  { cron: "61 * * * *", param: "cron" },
  { cron: "@daily", timezone: "Mars/Base", param: "timezone" },
  { every: "1h", timezone: "UTC", param: "timezone" },
];

interface Wall {
  readonly minute: number;
  readonly hour: number;
  readonly day: number;
  readonly weekday: number;
}

/**
 * The cron expressions of the tests. Each has a function that returns true for the local times at
 * which it fires.
 */
const meanings: Readonly<Record<string, (wall: Wall) => boolean>> = {
  "0 */6 * * *": (at) => at.minute === 0 && at.hour % 6 === 0,
  "30 6 * * *": (at) => at.minute === 30 && at.hour === 6,
  "15,45 8 * * MON-FRI": (at) =>
    [15, 45].includes(at.minute) && at.hour === 8 && at.weekday >= 1 && at.weekday <= 5,
  "@daily": (at) => at.minute === 0 && at.hour === 0,
  // If both day fields are restricted, a day has to match only one of them.
  "0 12 1 * SUN": (at) => at.minute === 0 && at.hour === 12 && (at.day === 1 || at.weekday === 0),
};
export const crons = Object.keys(meanings);

/** Time zones without daylight saving time, with their offsets from UTC in minutes. */
const offsets: Readonly<Record<string, number>> = {
  UTC: 0,
  "Asia/Kolkata": 330,
  "Asia/Tokyo": 540,
};
export const zones = Object.keys(offsets);

/** Returns the first time after `after` at which a cron expression fires, in epoch milliseconds. */
function nextOfCron(cron: string, zone: string, after: number): number {
  const means = meanings[cron];
  const offset = (offsets[zone] ?? 0) * minute;
  if (means === undefined) throw new Error(`The model does not support the cron ${cron}`);
  for (let at = (Math.floor(after / minute) + 1) * minute; ; at += minute) {
    const wall = new Date(at + offset);
    const found = means({
      minute: wall.getUTCMinutes(),
      hour: wall.getUTCHours(),
      day: wall.getUTCDate(),
      weekday: wall.getUTCDay(),
    });
    if (found) return at;
  }
}

/**
 * Returns the first due time after `now`, for a watchlist that was due at `due`. Times are in epoch
 * milliseconds.
 */
export function nextAfter(schedule: Schedule, due: number, now: number): number {
  if (schedule.every === undefined) {
    return nextOfCron(schedule.cron ?? "", schedule.timezone ?? "UTC", Math.max(due, now));
  }
  let next = due;
  do next += secondsOf(schedule.every) * 1_000;
  while (next <= now);
  return next;
}

export function nextTimes(schedule: Schedule, due: number, now: number): readonly string[] {
  const times = [due > now ? due : nextAfter(schedule, due, now)];
  while (times.length < 5) {
    const last = times.at(-1) ?? 0;
    times.push(nextAfter(schedule, last, last));
  }
  return times.map((time) => new Date(time).toISOString());
}
