import { afterChange } from "../../shared/base/after-change.ts";
import { refuseAnnounced } from "../../shared/platforms/catalogue.ts";
import { assert } from "../../shared/base/assert.ts";
import { forecastAccount, pastRuns } from "../../shared/runs/forecast-runs.ts";
import { changedWatchlist } from "../../shared/watchlists/change-watchlist.ts";
import {
  type Estimate,
  type EstimateRequest,
  estimateRequest,
  presentEstimate,
} from "../../shared/watchlists/estimate.ts";
import { forecastOf } from "../../shared/watchlists/forecast.ts";
import { route } from "../http/route.ts";
import { existingWatchlist } from "./existing-watchlist.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/** `POST /v1/watchlists/estimate` */
export const estimatePipelineRoute = route<WatchlistDependencies, typeof estimateRequest>({
  body: estimateRequest,
  announced: ({ body }) => refuseAnnounced(body),
  async handle({ body, caller, now }, dependencies) {
    const { accountId } = caller;
    const estimate = await wanted(body, { accountId, now }, dependencies);
    const { schedule } = estimate;
    if (schedule === null) return { status: 200, body: presentEstimate(estimate, null) };
    const watchlistId = body.kind === "existing" ? body.watchlistId : null;
    const runs = watchlistId === null ? [] : await pastRuns(watchlistId, dependencies);
    const account = await dependencies.accounts.get(accountId);
    assert(account !== undefined, "a key belongs to an account that exists");
    const { dailyCreditBudget: accountBudget } = account;
    const own = forecastOf({ ...estimate, schedule, runs, accountBudget }, now);
    const forecast = await forecastAccount({ ...account, accountId, now }, dependencies, {
      watchlistId,
      forecast: own,
    });
    return { status: 200, body: presentEstimate(estimate, { own, account: forecast }) };
  },
});

/**
 * Returns the watchlist to estimate.
 * @throws 404 if the request names a watchlist that does not exist; 400 if a requested value is not
 * valid for this watchlist
 */
async function wanted(
  request: EstimateRequest,
  { accountId, now }: { readonly accountId: string; readonly now: Date },
  { watchlists }: WatchlistDependencies,
): Promise<Estimate> {
  if (request.kind === "new") return request.estimate;
  const before = await existingWatchlist(watchlists, accountId, request.watchlistId);
  const change = changedWatchlist(before, { patch: request.patch, endpoint: undefined, now });
  return afterChange(before, change);
}
