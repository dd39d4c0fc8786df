import { presentPipeline } from "../pipelines/default.ts";
import { estimatedCredits } from "../pipelines/estimate.ts";
import { currencyOf } from "../platforms/catalogue.ts";
import type { EndpointBinding } from "./endpoint-binding.ts";
import { nextRunTimes, presentSchedule } from "./schedule.ts";
import { presentSettings } from "./settings.ts";
import { type ItemCounts, pipelineOf, type Watchlist } from "./watchlist.ts";

/** Number of due times in `next_run_times`. */
const shownRunTimes = 5;

export interface PresentOptions {
  /** Base of the watchlist's URL, such as `https://host/v1`. */
  readonly baseUrl: string;
  readonly now: Date;
  /** The watchlist's webhook endpoint; null if the watchlist has none. */
  readonly endpoint: EndpointBinding | null;
}

/** A watchlist in API answers (specification, section "Watchlist"). */
export function presentWatchlist(
  list: Watchlist,
  { baseUrl, now, endpoint }: PresentOptions,
): Record<string, unknown> {
  const { schedule, itemCounts } = list;
  const pipeline = pipelineOf(list);
  const itemCount = itemCounts.new + itemCounts.active + itemCounts.delisted;
  return {
    id: list.id,
    object: "watchlist",
    name: list.name,
    platform: list.platform,
    marketplace: list.marketplace,
    currency: currencyOf(list.platform, list.marketplace),
    status: list.status,
    paused_reason: list.pausedReason,
    schedule: presentSchedule(schedule),
    every: schedule.type === "every" ? schedule.every : null,
    every_seconds: schedule.type === "every" ? schedule.everySeconds : null,
    ...presentSettings(list),
    webhook_url: endpoint?.url ?? null,
    webhook_endpoint_id: endpoint?.endpointId ?? null,
    webhook_endpoint_status: endpoint?.status ?? null,
    item_count: itemCount,
    items_by_state: byState(itemCounts),
    asin_count: itemCount,
    asins_by_state: byState(itemCounts),
    pipeline: presentPipeline(pipeline),
    default_pipeline: list.pipeline === null,
    estimated_credits: estimatedCredits(pipeline, itemCounts),
    run_count: list.runCount,
    consecutive_skips: list.consecutiveSkips,
    last_run_at: list.lastRunAt,
    last_run_status: list.lastRunStatus,
    next_run_at: list.nextRunAt,
    next_run_times: runTimes(list, now),
    created_at: list.createdAt,
    updated_at: list.updatedAt,
    url: `${baseUrl}/watchlists/${list.id}`,
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
