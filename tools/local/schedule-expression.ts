/** The occurrences of a schedule, as EventBridge Scheduler computes them. */
export interface Occurrences {
  /** Returns the first occurrence strictly after `after`; null if there is none. */
  next(after: Date): Date | null;
}

interface Anchored {
  readonly expression: string;
  /** The first occurrence of a rate, and the earliest possible occurrence of a cron expression. */
  readonly startDate: Date;
  readonly endDate: Date | null;
}

const unitMilliseconds: Readonly<Record<string, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/**
 * Parses a schedule expression: `rate(…)`, `cron(…)` or `at(…)`. All times are UTC. `startDate` and
 * `endDate` limit the occurrences, except those of `at(…)`.
 * @throws Error with the invalid part of the expression
 */
export function parseExpression({ expression, startDate, endDate }: Anchored): Occurrences {
  const match = /^(rate|cron|at)\((.+)\)$/.exec(expression);
  if (!match) {
    throw new Error(
      `Invalid Schedule Expression ${expression}. Expected rate(...), cron(...) or at(...).`,
    );
  }
  const [, kind = "", content = ""] = match;
  const within = (at: Date | null): Date | null => (at && endDate && at > endDate ? null : at);
  if (kind === "at") {
    const at = parseTime(content);
    return { next: (after) => (at > after ? at : null) };
  }
  if (kind === "rate") {
    const every = parseRate(content);
    return { next: (after) => within(nextOfRate(startDate, every, after)) };
  }
  const fields = parseCron(content);
  const beforeStart = new Date(startDate.getTime() - 1);
  return {
    next: (after) => within(nextOfCron(fields, after < beforeStart ? beforeStart : after)),
  };
}

function parseTime(content: string): Date {
  const at = new Date(`${content}Z`);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(content) || Number.isNaN(at.getTime())) {
    throw new Error(
      `Invalid Schedule Expression at(${content}). Expected a time such as at(2026-11-20T10:00:00).`,
    );
  }
  return at;
}

function parseRate(content: string): number {
  const match = /^([1-9]\d*) (minute|hour|day)s?$/.exec(content);
  if (!match) {
    throw new Error(
      `Invalid Schedule Expression rate(${content}). Expected a number and a unit, such as rate(5 minutes).`,
    );
  }
  return Number(match[1]) * (unitMilliseconds[match[2] ?? ""] ?? 0);
}

function nextOfRate(start: Date, every: number, after: Date): Date {
  if (after < start) return start;
  const passed = Math.floor((after.getTime() - start.getTime()) / every);
  return new Date(start.getTime() + (passed + 1) * every);
}

interface CronFields {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly daysOfMonth: ReadonlySet<number> | null;
  readonly months: ReadonlySet<number>;
  /** 1 (Sunday) to 7 (Saturday); null if the expression has `?`. */
  readonly daysOfWeek: ReadonlySet<number> | null;
  readonly years: ReadonlySet<number>;
}

const monthNames = [
  "JAN",
  "FEB",
  "MAR",
  "APR",
  "MAY",
  "JUN",
  "JUL",
  "AUG",
  "SEP",
  "OCT",
  "NOV",
  "DEC",
];
const dayNames = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"];

function parseCron(content: string): CronFields {
  const [minute, hour, dayOfMonth, month, dayOfWeek, year, ...more] = content.trim().split(/\s+/);
  if (year === undefined || more.length > 0 || (dayOfMonth === "?") === (dayOfWeek === "?")) {
    throw new Error(
      `Invalid Schedule Expression cron(${content}). Expected six fields, with ? as day-of-month ` +
        "or as day-of-week, but not as both, such as cron(0 10 * * ? *).",
    );
  }
  return {
    minutes: [...parseField(minute, { from: 0, to: 59 })],
    hours: [...parseField(hour, { from: 0, to: 23 })],
    daysOfMonth: dayOfMonth === "?" ? null : parseField(dayOfMonth, { from: 1, to: 31 }),
    months: parseField(month, { from: 1, to: 12, names: monthNames }),
    daysOfWeek:
      dayOfWeek === "?" ? null : parseField(dayOfWeek, { from: 1, to: 7, names: dayNames }),
    years: parseField(year, { from: 1970, to: 2199 }),
  };
}

interface FieldRange {
  readonly from: number;
  readonly to: number;
  readonly names?: readonly string[];
}

/**
 * Parses a field of a cron expression; returns its values in ascending order. `L`, `W` and `#` are
 * not supported.
 * @throws Error for a field that is invalid or not supported
 */
function parseField(field: string | undefined, range: FieldRange): ReadonlySet<number> {
  const values = new Set<number>();
  for (const part of (field ?? "").split(",")) {
    const match = /^(\*|(\w+)(?:-(\w+))?)(?:\/([1-9]\d*))?$/.exec(part);
    if (!match) {
      throw new Error(
        `Invalid Schedule Expression: the local world does not support the field '${part}'. ` +
          "Use values, ranges, lists, steps or *.",
      );
    }
    const [, whole, first, last, step] = match;
    const from = whole === "*" ? range.from : parseValue(first, range);
    const single = step === undefined && last === undefined && whole !== "*";
    const to = last === undefined ? (single ? from : range.to) : parseValue(last, range);
    for (let value = from; value <= to; value += Number(step ?? 1)) values.add(value);
  }
  return new Set([...values].sort((a, b) => a - b));
}

function parseValue(text: string | undefined, range: FieldRange): number {
  const named = range.names?.indexOf((text ?? "").toUpperCase()) ?? -1;
  const value = named === -1 ? Number(text) : named + range.from;
  if (!Number.isInteger(value) || value < range.from || value > range.to) {
    throw new Error(
      `Invalid Schedule Expression: the field must be from ${range.from} to ${range.to} (got ${text}).`,
    );
  }
  return value;
}

/**
 * The longest search for an occurrence, in days. Between two leap days there may be eight years.
 */
const daysAheadMax = 366 * 8;

function nextOfCron(fields: CronFields, after: Date): Date | null {
  const day = new Date(after);
  day.setUTCHours(0, 0, 0, 0);
  for (let ahead = 0; ahead <= daysAheadMax; ahead += 1) {
    if (isDay(fields, day)) {
      for (const hour of fields.hours) {
        for (const minute of fields.minutes) {
          const at = new Date(day);
          at.setUTCHours(hour, minute);
          if (at > after) return at;
        }
      }
    }
    day.setUTCDate(day.getUTCDate() + 1);
  }
  return null;
}

function isDay(fields: CronFields, day: Date): boolean {
  return (
    fields.years.has(day.getUTCFullYear()) &&
    fields.months.has(day.getUTCMonth() + 1) &&
    (fields.daysOfMonth?.has(day.getUTCDate()) ?? true) &&
    (fields.daysOfWeek?.has(day.getUTCDay() + 1) ?? true)
  );
}
