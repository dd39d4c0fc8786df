import {
  type AccountCredits,
  accountForecast,
  type AccountForecast,
  type Forecast,
} from "../credits/forecast.ts";
import { limits } from "../base/limits.ts";
import {
  type DailyUse,
  forecastOf,
  forecastRuns,
  type ForecastWatchlist,
  type PastRun,
} from "../watchlists/forecast.ts";
import type { WatchlistStore } from "../watchlists/watchlist-store.ts";
import { isEmpty, type Watchlist } from "../watchlists/watchlist.ts";
import type { Run } from "./run.ts";
import type { RunStore } from "./run-store.ts";
import type { StepStore } from "./step-store.ts";

export interface ForecastDependencies {
  readonly watchlists: Pick<WatchlistStore, "list">;
  readonly runs: Pick<RunStore, "list">;
  readonly budgets: {
    /**
     * Returns the credits that the watchlists have used or reserved of their daily budgets on the
     * UTC day of `now`, by watchlist ID. A watchlist without such credits may be missing.
     */
    usedByWatchlists(
      accountId: string,
      watchlistIds: readonly string[],
      now: Date,
    ): Promise<ReadonlyMap<string, number>>;
  };
}

/** Returns the newest `forecastRuns` runs of a watchlist, newest first. */
export async function newestRuns(
  watchlistId: string,
  { runs }: Pick<ForecastDependencies, "runs">,
): Promise<readonly Run[]> {
  const { runs: newest } = await runs.list(watchlistId, forecastRuns);
  return newest;
}

/**
 * Selects, from the newest runs of a watchlist, the runs on which its forecast is based: those that
 * completed and read every step.
 */
export const pastRuns = (newest: readonly Run[]): readonly PastRun[] =>
  newest
    .filter(({ status, error }) => status === "completed" && error === null)
    .map(({ kind, credits, stats }) => ({
      kind,
      credits,
      tracked: stats.tracked,
      stepItems: itemsOfSteps(stats.steps),
    }));

const itemsOfSteps = (steps: Run["stats"]["steps"]): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(steps).map(([id, { requested }]) => [id, requested]));

/**
 * Returns the number of items that the newest ended run deferred at each step, by ID of the step;
 * an empty map if it deferred none, or if no run has ended. The next run reads these items.
 * @param newest the newest runs of a watchlist, newest first
 */
export async function deferredItems(
  newest: readonly Run[],
  { steps }: { readonly steps: Pick<StepStore, "list"> },
): Promise<ReadonlyMap<string, number>> {
  const last = newest.find(({ finishedAt }) => finishedAt !== null);
  if (last === undefined || last.error === null) return new Map();
  const planned = await steps.list(last.id);
  return new Map(
    planned.filter(({ decision }) => decision === "defer").map(({ step, items }) => [step, items]),
  );
}

/** Number of watchlists whose runs are read at the same time. */
const atOnce = 10;

/**
 * Forecasts the number and the cost of the runs of an account's active watchlists.
 * @param replaced forecast of a watchlist with settings that are not stored. It replaces the
 * forecast of the stored watchlist `watchlistId`, and is also used if that watchlist is paused. A
 * `watchlistId` of null means a new watchlist: its forecast is added.
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
    (watchlist) =>
      watchlist.status === "active" &&
      !isEmpty(watchlist) &&
      watchlist.id !== replaced?.watchlistId,
  );
  const accountBudget = credits.dailyCreditBudget;
  const limited = active.filter(({ dailyCreditBudget }) => dailyCreditBudget !== null);
  const used = await dependencies.budgets.usedByWatchlists(
    accountId,
    limited.map(({ id }) => id),
    now,
  );
  const useOf = (id: string): DailyUse => ({
    watchlist: used.get(id) ?? 0,
    account: credits.usedToday,
  });
  const forecasts: Forecast[] = replaced === undefined ? [] : [replaced.forecast];
  for (let start = 0; start < active.length; start += atOnce) {
    const some = active.slice(start, start + atOnce);
    forecasts.push(
      ...(await Promise.all(
        some.map((watchlist) => {
          const usedToday = useOf(watchlist.id);
          return forecastWatchlist({ ...watchlist, accountBudget, usedToday }, now, dependencies);
        }),
      )),
    );
  }
  return accountForecast(forecasts, credits, now);
}

/** Forecasts the credits of a watchlist's runs after `now`, from its newest runs. */
const forecastWatchlist = async (
  watchlist: Omit<ForecastWatchlist, "runs"> & Pick<Watchlist, "id">,
  now: Date,
  dependencies: Pick<ForecastDependencies, "runs">,
): Promise<Forecast> =>
  forecastOf({ ...watchlist, runs: pastRuns(await newestRuns(watchlist.id, dependencies)) }, now);
