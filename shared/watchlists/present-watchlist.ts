import { presentPipeline } from "../pipelines/default.ts";
import { estimatedCredits } from "../pipelines/estimate.ts";
import { currencyOf } from "../platforms/catalog.ts";
import { blockingLimit } from "./blocking-limit.ts";
import type { EndpointBinding } from "./endpoint-binding.ts";
import { nextRunTimes, presentSchedule } from "./schedule.ts";
import { presentSettings } from "./settings.ts";
import type { ItemCounts } from "./item-counts.ts";
import { pipelineOf, type Watchlist } from "./watchlist.ts";

/** Number of due times in `next_run_times`. */
const shownRunTimes = 5;

/** The data for a watchlist in API responses that is not stored with it. */
export interface PresentOptions {
  /** Base of the watchlist's URL, such as `https://host/v1`. */
  readonly baseUrl: string;
  readonly now: Date;
  /** The watchlist's webhook endpoint; null if the watchlist has none. */
  readonly endpoint: EndpointBinding | null;
  /** Credits of the daily budget that the runs have used on this UTC day. */
  readonly usedToday: number;
}

/** Converts a watchlist to its form in API responses (specification, section "Watchlist"). */
export function presentWatchlist(
  watchlist: Watchlist,
  { baseUrl, now, endpoint, usedToday }: PresentOptions,
): Record<string, unknown> {
  const { schedule, itemCounts } = watchlist;
  const pipeline = pipelineOf(watchlist);
  const itemCount = itemCounts.new + itemCounts.active + itemCounts.delisted;
  return {
    id: watchlist.id,
    object: "watchlist",
    name: watchlist.name,
    platform: watchlist.platform,
    marketplace: watchlist.marketplace,
    currency: currencyOf(watchlist.platform, watchlist.marketplace),
    status: watchlist.status,
    paused_reason: watchlist.pausedReason,
    schedule: presentSchedule(schedule),
    every: schedule.type === "every" ? schedule.every : null,
    every_seconds: schedule.type === "every" ? schedule.everySeconds : null,
    ...presentSettings(watchlist),
    webhook_url: endpoint?.url ?? null,
    webhook_endpoint_id: endpoint?.endpointId ?? null,
    webhook_endpoint_status: endpoint?.status ?? null,
    item_count: itemCount,
    items_by_state: byState(itemCounts),
    asin_count: itemCount,
    asins_by_state: byState(itemCounts),
    pipeline: presentPipeline(pipeline),
    default_pipeline: watchlist.pipeline === null,
    estimated_credits: estimatedCredits(pipeline, itemCounts),
    blocked_by_limit: blockingLimit({ ...watchlist, accountBudget: null }),
    daily_credits_used: watchlist.dailyCreditBudget === null ? null : usedToday,
    run_count: watchlist.runCount,
    consecutive_skips: watchlist.consecutiveSkips,
    last_run_at: watchlist.lastRunAt,
    last_run_status: watchlist.lastRunStatus,
    next_run_at: watchlist.nextRunAt,
    next_run_times: runTimes(watchlist, now),
    created_at: watchlist.createdAt,
    updated_at: watchlist.updatedAt,
    url: `${baseUrl}/watchlists/${watchlist.id}`,
  };
}

const byState = (counts: ItemCounts): Record<string, number> => ({
  new: counts.new,
  active: counts.active,
  delisted: counts.delisted,
});

function runTimes({ schedule, nextRunAt }: Watchlist, now: Date): readonly string[] {
  if (nextRunAt === null) return [];
  const times = nextRunTimes(schedule, { due: new Date(nextRunAt), now, count: shownRunTimes });
  return times.map((time) => time.toISOString());
}
