import {
  type AccountCredits,
  accountForecast,
  type AccountForecast,
  type Forecast,
} from "../credits/forecast.ts";
import { limits } from "../base/limits.ts";
import { forecastOf, forecastRuns, type PastRun } from "../watchlists/forecast.ts";
import type { WatchlistStore } from "../watchlists/watchlist-store.ts";
import { isEmpty, type Watchlist } from "../watchlists/watchlist.ts";
import type { RunStore } from "./run-store.ts";

export interface ForecastDependencies {
  readonly watchlists: Pick<WatchlistStore, "list">;
  readonly runs: Pick<RunStore, "list">;
}

/** The newest runs of a watchlist that read everything, from which its credits are forecast. */
export async function pastRuns(
  watchlistId: string,
  { runs }: Pick<ForecastDependencies, "runs">,
): Promise<readonly PastRun[]> {
  const { runs: newest } = await runs.list(watchlistId, forecastRuns);
  return newest
    .filter(({ status, error }) => status === "completed" && error === null)
    .map(({ kind, credits, stats }) => ({ kind, credits, tracked: stats.tracked }));
}

/** Number of watchlists whose runs are read at the same time. */
const atOnce = 10;

/**
 * Forecasts the runs of an account's active watchlists. `replaced`: a watchlist with settings that
 * are not stored. It counts in place of the stored one, also if that one is paused, or in addition
 * if it has a new ID.
 */
export async function forecastAccount(
  {
    accountId,
    now,
    ...credits
  }: AccountCredits & { readonly accountId: string; readonly now: Date },
  dependencies: ForecastDependencies,
  replaced?: { readonly watchlistId: string | null; readonly forecast: Forecast },
): Promise<AccountForecast> {
  const { watchlists } = await dependencies.watchlists.list(accountId, limits.watchlistsMax);
  const active = watchlists.filter(
    (list) => list.status === "active" && !isEmpty(list) && list.id !== replaced?.watchlistId,
  );
  const forecasts: Forecast[] = replaced === undefined ? [] : [replaced.forecast];
  for (let start = 0; start < active.length; start += atOnce) {
    const some = active.slice(start, start + atOnce);
    forecasts.push(
      ...(await Promise.all(some.map((list) => forecastList(list, now, dependencies)))),
    );
  }
  return accountForecast(forecasts, credits, now);
}

/** Forecasts the runs of a watchlist from its newest runs. */
export const forecastList = async (
  list: Watchlist,
  now: Date,
  dependencies: Pick<ForecastDependencies, "runs">,
): Promise<Forecast> => forecastOf({ ...list, runs: await pastRuns(list.id, dependencies) }, now);
