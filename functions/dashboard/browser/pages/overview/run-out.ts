import type { Account, Usage } from "../../api/resources.ts";
import { formatDay } from "../../format/times.ts";

/** The number of complete UTC days before today from which the rate of use is computed. */
const paceDays = 7;
/** The number of days of usage that `runOutOf` needs. */
export const usageDays = paceDays + 1;
/**
 * The minimum number of days for a rate of use. A rate over a shorter period depends too much on
 * single calls or runs.
 */
const paceDaysMin = 2;
/**
 * The maximum length of a forecast in days: ten years. A later time would be too uncertain to be
 * useful. The forecast that the service calculates from the schedules has the same limit.
 */
const daysMax = 3_650;
const hoursOfDay = 24;
const hourMs = 3_600_000;
const dayMs = hoursOfDay * hourMs;

/**
 * The credits charged by the runs of watchlists that are paused now. Such charges are unlikely to
 * repeat.
 */
export interface PausedCredits {
  /** The first UTC day for which all runs of the paused watchlists are known: `2026-11-21`. */
  readonly since: string;
  readonly byDay: ReadonlyMap<string, number>;
}

/** The usage of an account, from which the rate of use is computed. */
export interface Use {
  /**
   * The usage of at least the last eight days by day, the oldest first; the last entry is today.
   */
  readonly daily: Usage["daily"];
  readonly paused: PausedCredits;
}

/** The rate at which an account uses credits. */
export interface Pace {
  /** Credits per day. */
  readonly credits: number;
  /** The first UTC day of the period that the rate covers: `2026-11-21`. */
  readonly since: string;
}

/**
 * Returns the average credits per day over the last seven complete UTC days and today. The period
 * starts no earlier than the account's creation and no earlier than the first day for which the
 * runs of the paused watchlists are known. Credits of watchlists that are paused now do not count.
 * Returns null if no other credits were used, or if the period is shorter than two days.
 */
export function currentPace(
  { daily, paused }: Use,
  { created_at: createdAt }: Pick<Account, "created_at">,
  now: Date,
): Pace | null {
  const firstDay = createdAt.slice(0, "2026-11-21".length);
  const days = daily
    .filter(({ date }) => date >= firstDay && date >= paused.since)
    .slice(-usageDays);
  const since = days[0]?.date;
  if (since === undefined) return null;
  const start = Math.max(Date.parse(createdAt), Date.parse(since));
  const elapsedDays = (now.getTime() - start) / dayMs;
  if (elapsedDays < paceDaysMin) return null;
  const sum = days.reduce(
    (total, { date, credits }) => total + Math.max(0, credits - (paused.byDay.get(date) ?? 0)),
    0,
  );
  return sum === 0 ? null : { credits: sum / elapsedDays, since };
}

/** A forecast of when the balance is used up. */
export interface Forecast {
  /** Hours from now, with fractions. */
  readonly hours: number;
  readonly at: Date;
  /** What the forecast is calculated from: `from the credits used since 21 Nov, without …`. */
  readonly basis: string;
}

/** The known forecasts of when the balance is used up, the earliest first. */
export type RunOut = readonly [Forecast, ...Forecast[]];

/** The values of an account that decide when its balance is used up. */
export type Spending = Pick<Account, "created_at" | "credit_balance" | "forecast">;

/**
 * Returns up to two forecasts of when the balance is used up, the earliest first. One follows the
 * schedules, so it includes a watchlist that was created a minute ago. The other continues the
 * current rate of use (see `currentPace`), so it includes item calls and manual runs. Omits a
 * forecast of more than ten years. Returns null if no forecast is left.
 */
export function runOutOf(account: Spending, use: Use, now: Date): RunOut | null {
  const { credit_balance: balance, forecast } = account;
  const scheduled = forecast.balance_runs_out_at.likely;
  const pace = currentPace(use, account, now);
  const forecasts: Forecast[] = [];
  const add = (hours: number, basis: string): void => {
    const at = new Date(now.getTime() + hours * hourMs);
    if (hours <= daysMax * hoursOfDay) forecasts.push({ hours, at, basis });
  };
  if (scheduled !== null) {
    const hours = Math.max(0, Date.parse(scheduled) - now.getTime()) / hourMs;
    add(hours, "from the schedules and past runs of the active watchlists");
  }
  if (pace !== null) {
    const hours = (balance / pace.credits) * hoursOfDay;
    add(hours, `from the credits used since ${formatDay(pace.since)}, without paused watchlists`);
  }
  const [first, ...later] = forecasts.toSorted((one, other) => one.hours - other.hours);
  return first === undefined ? null : [first, ...later];
}

/**
 * Returns the texts for an account for which `runOutOf` returns null: how long the balance lasts,
 * and the reason.
 */
export const unlimitedWords = ({
  forecast,
}: Pick<Spending, "forecast">): { readonly value: string; readonly note: string } =>
  forecast.month.likely > 0
    ? { value: "More than ten years", note: "from the schedules of the active watchlists" }
    : {
        value: "–",
        note: "no schedule uses credits, and the other use is too small or too recent for a forecast",
      };
