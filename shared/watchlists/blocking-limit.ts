import * as v from "valibot";
import { firstStepCredits } from "../pipelines/estimate.ts";
import type { WatchlistSettings } from "./settings.ts";
import { pipelineOf, type Watchlist } from "./watchlist.ts";

const limitNames = ["max_credits_per_run", "daily_credit_budget"] as const;

/** The field `blocked_by_limit` of watchlists and estimates. */
export const blockedByLimit = v.pipe(
  v.nullable(v.picklist(limitNames)),
  v.description(
    "The limit of the watchlist that is below the price of a first step, so that runs never read " +
      "its items. Null if there is none.",
  ),
);

/** Returns the name of the credit limit that blocks the items of a watchlist; null if none does. */
export function blockingLimit(
  watchlist: Pick<Watchlist, "itemCounts" | "pipeline" | "platform"> &
    Pick<WatchlistSettings, "dailyCreditBudget" | "maxCreditsPerRun" | "refreshEveryRuns">,
): (typeof limitNames)[number] | null {
  const { maxCreditsPerRun, dailyCreditBudget } = watchlist;
  const price = firstStepCredits(pipelineOf(watchlist), watchlist.itemCounts);
  if (maxCreditsPerRun !== null && maxCreditsPerRun < price) return "max_credits_per_run";
  return dailyCreditBudget !== null && dailyCreditBudget < price ? "daily_credit_budget" : null;
}
