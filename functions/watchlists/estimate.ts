import type { Account } from "../../shared/accounts/account.ts";
import { afterChange } from "../../shared/base/after-change.ts";
import { refuseAnnounced } from "../../shared/platforms/catalog.ts";
import { assert } from "../../shared/base/assert.ts";
import {
  deferredItems,
  forecastAccount,
  newestRuns,
  pastRuns,
} from "../../shared/runs/forecast-runs.ts";
import { changeWatchlist } from "../../shared/watchlists/change-watchlist.ts";
import {
  type Estimate,
  type EstimateRequest,
  estimateRequest,
  presentEstimate,
} from "../../shared/watchlists/estimate.ts";
import { type DailyUse, forecastOf } from "../../shared/watchlists/forecast.ts";
import { route } from "../http/route.ts";
import { existingWatchlist } from "./existing-watchlist.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/**
 * `POST /v1/watchlists/estimate`. Returns the estimated credits of a watchlist's runs, and checks
 * its pipeline.
 */
export const estimatePipelineRoute = route<WatchlistDependencies, typeof estimateRequest>({
  body: estimateRequest,
  announced: ({ body }) => refuseAnnounced(body),
  async handle({ body, caller, now }, dependencies) {
    const { accountId } = caller;
    const estimate = await findWatchlist(body, { accountId, now }, dependencies);
    const { schedule } = estimate;
    const watchlistId = body.kind === "existing" ? body.watchlistId : null;
    const newest = watchlistId === null ? [] : await newestRuns(watchlistId, dependencies);
    const runs = pastRuns(newest);
    const deferred = await deferredItems(newest, dependencies);
    const account = await dependencies.accounts.get(accountId);
    assert(account !== undefined, "the account of an API key must exist");
    const { dailyCreditBudget: accountBudget } = account;
    const about = { accountBudget, runs, deferred };
    if (schedule === null) {
      return { status: 200, body: presentEstimate(estimate, { ...about, forecasts: null }) };
    }
    const usedToday = await usedBy({ accountId, watchlistId, now }, account, dependencies);
    const own = forecastOf({ ...estimate, schedule, runs, accountBudget, usedToday }, now);
    const forecast = await forecastAccount(
      { ...account, usedToday: usedToday.account, accountId, now },
      dependencies,
      { watchlistId, forecast: own },
    );
    const forecasts = { own, account: forecast };
    return { status: 200, body: presentEstimate(estimate, { ...about, forecasts }) };
  },
});

/**
 * Reads the credits that a watchlist and its account have used of their daily budgets on this UTC
 * day.
 */
async function usedBy(
  about: { readonly accountId: string; readonly watchlistId: string | null; readonly now: Date },
  { dailyCreditBudget }: Pick<Account, "dailyCreditBudget">,
  { budgets }: Pick<WatchlistDependencies, "budgets">,
): Promise<DailyUse> {
  const { accountId, watchlistId, now } = about;
  const account = dailyCreditBudget === null ? 0 : await budgets.used(accountId, now);
  if (watchlistId === null) return { watchlist: 0, account };
  const used = await budgets.usedByWatchlists(accountId, [watchlistId], now);
  return { watchlist: used.get(watchlistId) ?? 0, account };
}

/**
 * Returns the watchlist to estimate.
 * @throws 404 if the request names a watchlist that does not exist; 400 if a requested value is not
 * valid for this watchlist
 */
async function findWatchlist(
  request: EstimateRequest,
  { accountId, now }: { readonly accountId: string; readonly now: Date },
  { watchlists }: WatchlistDependencies,
): Promise<Estimate> {
  if (request.kind === "new") return request.estimate;
  const before = await existingWatchlist(watchlists, accountId, request.watchlistId);
  const change = changeWatchlist(before, { patch: request.patch, endpoint: undefined, now });
  return afterChange(before, change);
}
