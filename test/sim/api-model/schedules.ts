/** A cadence or a cron in a request. */
export interface Schedule {
  readonly every?: string;
  readonly cron?: string;
  readonly timezone?: string;
}

const minute = 60_000;
const units: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 };

export const secondsOf = (every: string): number =>
  Number(every.slice(0, -1)) * (units[every.at(-1) ?? ""] ?? 0);

export const cadences = ["30m", "1h", "6h", "24h", "7d", "2h", "12h"] as const;

/** Invalid cadences and crons, with the invalid parameter. */
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

/** The crons of the tests, each with its condition on the local time. */
const meanings: Readonly<Record<string, (wall: Wall) => boolean>> = {
  "0 */6 * * *": (at) => at.minute === 0 && at.hour % 6 === 0,
  "30 6 * * *": (at) => at.minute === 30 && at.hour === 6,
  "15,45 8 * * MON-FRI": (at) =>
    [15, 45].includes(at.minute) && at.hour === 8 && at.weekday >= 1 && at.weekday <= 5,
  "@daily": (at) => at.minute === 0 && at.hour === 0,
  // With both day fields restricted, either matches.
  "0 12 1 * SUN": (at) => at.minute === 0 && at.hour === 12 && (at.day === 1 || at.weekday === 0),
};
export const crons = Object.keys(meanings);

/** Time zones without daylight saving time, with their UTC offset in minutes. */
const offsets: Readonly<Record<string, number>> = {
  UTC: 0,
  "Asia/Kolkata": 330,
  "Asia/Tokyo": 540,
};
export const zones = Object.keys(offsets);

/** Returns the first time after `after` at which the cron fires. */
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

/** Returns the next due time after `now` of a watchlist that was due at `due`. */
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
