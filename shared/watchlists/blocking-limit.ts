import * as v from "valibot";
import { count } from "../base/wire-schema.ts";
import { firstStepCredits, likelyDeferrals } from "../pipelines/estimate.ts";
import type { ForecastWatchlist } from "./forecast.ts";
import type { WatchlistSettings } from "./settings.ts";
import { type PipelineChoice, pipelineOf, type Watchlist } from "./watchlist.ts";

const ownLimits = ["max_credits_per_run", "daily_credit_budget"] as const;
const limitNames = [...ownLimits, "account_daily_credit_budget"] as const;

/** Schema of the field `blocked_by_limit` of watchlists in responses. */
export const blockedByOwnLimit = v.pipe(
  v.nullable(v.picklist(ownLimits)),
  v.description(
    "The limit of the watchlist that is below the price of a step at which items start (the entry or " +
      "the baseline), so that runs never read these items. Null if there is no such limit. An estimate " +
      "also shows the daily budget of the account.",
  ),
);

/** Schema of the field `blocked_by_limit` of estimates in responses. */
export const blockedByLimit = v.pipe(
  v.nullable(v.picklist(limitNames)),
  v.description(
    "The limit of the watchlist, or of the account, that is below the price of a step at which items " +
      "start (the entry or the baseline), so that runs never read these items. Null if there is no such " +
      "limit.",
  ),
);

/** Schema of the field `blocked_steps` of estimates in responses. */
export const blockedStepsField = v.pipe(
  v.array(
    v.object({
      step: v.string(),
      limit: v.picklist(limitNames),
      credits: v.pipe(count, v.description("Price of the step for its likely number of items.")),
      available: v.pipe(
        count,
        v.description("Credits of the limit that remain after the earlier steps of the run."),
      ),
    }),
  ),
  v.description(
    "The steps that a limit is likely to defer in every run. The likely number of items of a step is the " +
      "largest of three: the items that are certain to reach the step, the items of the average past " +
      "run, and the items that the last run deferred.",
  ),
);

interface Limit {
  readonly name: (typeof limitNames)[number];
  /** Maximum number of credits, of a run or of a UTC day. */
  readonly credits: number;
}

type Limits = Pick<WatchlistSettings, "dailyCreditBudget" | "maxCreditsPerRun"> & {
  /** The daily budget of the account; null if it has none. */
  readonly accountBudget: number | null;
};

/**
 * Returns the limits that the watchlist and the account have, in the order in which a run checks
 * them.
 */
const limitsIn = ({ maxCreditsPerRun, dailyCreditBudget, accountBudget }: Limits): Limit[] =>
  [
    { name: "max_credits_per_run" as const, credits: maxCreditsPerRun },
    { name: "daily_credit_budget" as const, credits: dailyCreditBudget },
    { name: "account_daily_credit_budget" as const, credits: accountBudget },
  ].flatMap(({ name, credits }) => (credits === null ? [] : [{ name, credits }]));

type Planned = PipelineChoice & Pick<Watchlist, "itemCounts">;

/**
 * Returns the name of the first credit limit that blocks the runs of a watchlist, because the limit
 * is lower than the cost of a run's first step. Returns null if no limit blocks the runs.
 */
export function blockingLimit(watchlist: Planned & Limits): Limit["name"] | null {
  const price = firstStepCredits(pipelineOf(watchlist), watchlist.itemCounts);
  return limitsIn(watchlist).find(({ credits }) => credits < price)?.name ?? null;
}

/**
 * Returns the steps that the lowest credit limit of a watchlist, or of its account, probably defers
 * in every run. Returns an empty array if there is no limit, or if it defers no step.
 * @param past the newest completed runs of the watchlist
 * @param deferred the number of items that the newest run deferred, by ID of the step
 */
export function findBlockedSteps(
  watchlist: Planned & Limits,
  past: ForecastWatchlist["runs"],
  deferred: ReadonlyMap<string, number>,
): v.InferOutput<typeof blockedStepsField> {
  const [lowest] = limitsIn(watchlist).toSorted((a, b) => a.credits - b.credits);
  if (lowest === undefined) return [];
  const { itemCounts } = watchlist;
  const pipeline = pipelineOf(watchlist);
  const items = itemCounts.active + itemCounts.new;
  const deferralsIn = (kind: "refresh" | "sweep", starts: ReadonlyMap<string, number>) =>
    likelyDeferrals(pipeline, { starts, limit: lowest.credits }, (step) =>
      Math.max(deferred.get(step) ?? 0, averageAt(step, past, kind) * items),
    );
  const starts = new Map([[pipeline.entry, itemCounts.active]]);
  const baseline = pipeline.baseline ?? pipeline.entry;
  starts.set(baseline, (starts.get(baseline) ?? 0) + itemCounts.new);
  const { refresh } = pipeline;
  const inSweeps = deferralsIn("sweep", starts);
  const inRefreshes =
    refresh === null ? [] : deferralsIn("refresh", new Map([[refresh.entry, items]]));
  const others = inRefreshes.filter(({ step }) => !inSweeps.some((one) => one.step === step));
  return [...inSweeps, ...others].map(({ step, credits, available }) => ({
    step,
    limit: lowest.name,
    credits,
    available,
  }));
}

/** Returns how often the past runs of a kind read an item at a step, on average; 0 without runs. */
function averageAt(step: string, past: ForecastWatchlist["runs"], kind: string): number {
  const same = past.filter((run) => run.kind === kind && run.tracked > 0);
  const items = same.reduce((sum, { tracked }) => sum + tracked, 0);
  if (items === 0) return 0;
  return same.reduce((sum, { stepItems }) => sum + (stepItems[step] ?? 0), 0) / items;
}
