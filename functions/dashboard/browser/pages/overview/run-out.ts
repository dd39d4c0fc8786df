import type { Account, Usage } from "../../api/resources.ts";
import { lastingWords } from "../../format/times.ts";

/** The number of complete UTC days before today from which the rate of spending is computed. */
const paceDays = 7;
/** The number of days of usage that `runOutOf` needs. */
export const usageDays = paceDays + 1;
const hoursOfDay = 24;
const hourMs = 3_600_000;

export interface Pace {
  /** Credits per day. */
  readonly credits: number;
  /** The period from which the rate is computed, such as `the last 7 days`. */
  readonly of: string;
}

/**
 * Returns the current rate of spending: the average credits per day of the last seven complete UTC
 * days, not counting days before the account was created. If today's credits already exceed that
 * average, returns today's credits. Returns null if no credits were used.
 * @param daily the usage by day, the oldest first; the last entry is today
 */
export function currentPace(
  daily: Usage["daily"],
  { created_at: createdAt }: Pick<Account, "created_at">,
): Pace | null {
  const firstDay = createdAt.slice(0, "2026-11-21".length);
  const days = daily
    .slice(0, -1)
    .filter(({ date }) => date >= firstDay)
    .slice(-paceDays);
  const sum = days.reduce((total, { credits }) => total + credits, 0);
  const before = days.length === 0 ? 0 : sum / days.length;
  const today = daily.at(-1)?.credits ?? 0;
  if (today > before) return { credits: today, of: "today alone" };
  if (before === 0) return null;
  return { credits: before, of: days.length === 1 ? "yesterday" : `the last ${days.length} days` };
}

/** A forecast of when the balance is used up. */
export interface Forecast {
  /** Hours from now, with fractions. */
  readonly hours: number;
  /** What the time was calculated from: `at the rate of yesterday`. */
  readonly basis: string;
}

/** When the balance is used up. */
export interface RunOut extends Forecast {
  /** The other forecast, which is later. Null if the other way of calculating uses no credits. */
  readonly later: Forecast | null;
}

/** The values of an account that decide when its balance is used up. */
export type Spending = Pick<Account, "created_at" | "credit_balance" | "forecast">;

/**
 * Returns when the balance is used up: the earlier of two times. One is the forecast of the
 * schedules, which knows a watchlist that was created a minute ago. The other continues the current
 * rate of spending, which includes item calls and manual runs. Returns null if neither uses credits
 * within ten years. All pages show this forecast.
 * @param daily the usage of at least the last eight days by day, the oldest first; the last entry is
 * today
 */
export function runOutOf(account: Spending, daily: Usage["daily"], now: Date): RunOut | null {
  const { credit_balance: balance, forecast } = account;
  const scheduled = forecast.balance_runs_out_at.likely;
  const pace = currentPace(daily, account);
  const times: Forecast[] = [];
  if (scheduled !== null) {
    const hours = Math.max(0, Date.parse(scheduled) - now.getTime()) / hourMs;
    times.push({ hours, basis: "at the forecast of the schedules" });
  }
  if (pace !== null) {
    const hours = (balance / pace.credits) * hoursOfDay;
    times.push({ hours, basis: `at the rate of ${pace.of}` });
  }
  const [first, later = null] = times.toSorted((one, other) => one.hours - other.hours);
  return first === undefined ? null : { ...first, later };
}

/**
 * Returns what the earlier forecast is based on, and the later one: `at the rate of yesterday; 51
 * days at the forecast of the schedules`.
 */
export const basisWords = ({ basis, later }: RunOut): string =>
  later === null ? basis : `${basis}; ${lastingWords(later.hours)} ${later.basis}`;
