import * as v from "valibot";
import { count, timestamp } from "../base/wire-schema.ts";

/**
 * Forecast credits. `best`: no item changes. `likely`: the next runs cost as much as the last runs
 * did on average. `worst`: every item takes every route.
 */
export interface Credits {
  readonly best: number;
  readonly likely: number;
  readonly worst: number;
}

/** Forecast number of runs and their credits, for two periods. */
export interface Forecast {
  /** The next 24 hours. */
  readonly day: Credits & { readonly runs: number };
  /** The next 30 days. */
  readonly month: Credits & { readonly runs: number };
}

/** Days of the longer period of a forecast, its "month". */
export const forecastMonthDays = 30;
const dayMs = 86_400_000;

/** The forecast for the sum of all active watchlists of an account. */
export interface AccountForecast extends Forecast {
  /** Number of the watchlists. */
  readonly watchlists: number;
  /**
   * The time at which the balance is used up if runs continue to cost as much as `month` forecasts.
   * Null if the runs cost nothing, or if the time is more than ten years away.
   */
  readonly runsOutAt: { readonly [Name in keyof Credits]: Date | null };
}

/** The credits of an account that limit its runs. */
export interface AccountCredits {
  readonly balance: number;
  /** Maximum number of credits on a UTC day; null for no maximum. */
  readonly dailyCreditBudget: number | null;
  /** Credits that count towards the daily budget on the current UTC day. */
  readonly usedToday: number;
}

/**
 * Adds up the credit forecasts of an account's active watchlists, limits the sums to the account's
 * daily budget, and calculates when the balance runs out. Item calls are not included.
 * @param usedToday credits that count towards the daily budget of this UTC day
 * @param now time from which the forecast is made
 */
export function accountForecast(
  forecasts: readonly Forecast[],
  { balance, dailyCreditBudget, usedToday }: AccountCredits,
  now: Date,
): AccountForecast {
  const total = (period: keyof Forecast, days: number): Forecast["day"] => {
    const budget = dailyCreditBudget === null ? Infinity : dailyCreditBudget * days;
    // A period of n days overlaps with n + 1 UTC days, so the rest of today's budget is added.
    const most = budget + Math.max(0, (dailyCreditBudget ?? 0) - usedToday);
    const sum = (name: keyof Forecast["day"]): number =>
      forecasts.reduce((all, one) => all + one[period][name], 0);
    const worst = Math.min(most, sum("worst"));
    const credits = (name: keyof Credits): number => Math.min(budget, worst, sum(name));
    return { runs: sum("runs"), best: credits("best"), likely: credits("likely"), worst };
  };
  const month = total("month", forecastMonthDays);
  const outAt = (name: keyof Credits): Date | null =>
    month[name] === 0 ? null : outAfter(balance / (month[name] / forecastMonthDays), now);
  return {
    watchlists: forecasts.length,
    day: total("day", 1),
    month,
    runsOutAt: { best: outAt("best"), likely: outAt("likely"), worst: outAt("worst") },
  };
}

/**
 * Number of days from now within which the end of the balance is forecast. A later end would be too
 * uncertain to be useful.
 */
const daysMax = 3_650;

/** Returns the time `days` days after `now`; null if `days` exceeds `daysMax`. */
const outAfter = (days: number, now: Date): Date | null =>
  days > daysMax ? null : new Date(now.getTime() + Math.floor(days * dayMs));

const periodSchema = v.object({
  runs: v.pipe(count, v.description("Number of scheduled runs.")),
  best: v.pipe(count, v.description("Credits if no item changes.")),
  likely: v.pipe(
    count,
    v.description("Credits at the average of the last runs; before the first run, an estimate."),
  ),
  worst: v.pipe(
    count,
    v.description(
      "Credits if every item takes every route, in every run. With a daily budget, at most what is left " +
        "of it today, and the whole budget on each of the next UTC days.",
    ),
  ),
});

/** A forecast in API responses. */
export const forecastSchema = v.object({
  day: v.pipe(
    periodSchema,
    v.description(
      "The next 24 hours, which belong to two UTC days. With a daily budget, `best` and `likely` are at " +
        "most the budget of one day.",
    ),
  ),
  month: v.pipe(
    periodSchema,
    v.description(
      "The next 30 days, which belong to 31 UTC days. With a daily budget, `best` and `likely` are at " +
        "most the budgets of 30 days.",
    ),
  ),
});

const outSchema = (text: string) => v.nullable(v.pipe(timestamp, v.description(text)));

/** The forecast of an account in API responses. */
export const accountForecastSchema = v.pipe(
  v.object({
    watchlists: v.pipe(count, v.description("Number of active watchlists.")),
    ...forecastSchema.entries,
    balance_runs_out_at: v.pipe(
      v.object({
        best: outSchema(
          "When the balance would be 0 at the `best` rate. Null if in more than ten years.",
        ),
        likely: outSchema(
          "When the balance would be 0 at the `likely` rate. Null if in more than ten years.",
        ),
        worst: outSchema(
          "When the balance would be 0 at the `worst` rate. Null if in more than ten years.",
        ),
      }),
      v.description("When the balance would be 0 at the rate of these 30 days."),
    ),
  }),
  v.description(
    "Credits of the scheduled runs of all active watchlists together, without item calls and manual runs.",
  ),
);

/** Converts the forecast of an account to its form in API responses. */
export const presentAccountForecast = ({
  watchlists,
  day,
  month,
  runsOutAt,
}: AccountForecast): v.InferOutput<typeof accountForecastSchema> => ({
  watchlists,
  day,
  month,
  balance_runs_out_at: {
    best: runsOutAt.best?.toISOString() ?? null,
    likely: runsOutAt.likely?.toISOString() ?? null,
    worst: runsOutAt.worst?.toISOString() ?? null,
  },
});
