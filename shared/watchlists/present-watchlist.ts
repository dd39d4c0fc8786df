import { creditsFor } from "../credits/charge.ts";
import { defaultPipeline, presentPipeline } from "../pipelines/default.ts";
import { stepOf } from "../pipelines/definition.ts";
import { currencyOf } from "../platforms/catalogue.ts";
import { scrapers } from "../scrapers/catalogue.ts";
import type { ItemCounts, Watchlist } from "./watchlist.ts";

/** A watchlist in the wire's words (specification, section "Watchlist"). */
export function presentWatchlist(list: Watchlist, baseUrl: string): Record<string, unknown> {
  const { schedule, itemCounts } = list;
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
    schedule: { type: "every", every: schedule.every, every_seconds: schedule.everySeconds },
    every: schedule.every,
    every_seconds: schedule.everySeconds,
    refresh_every_runs: list.refreshEveryRuns,
    webhook_url: list.webhookUrl,
    item_count: itemCount,
    items_by_state: byState(itemCounts),
    asin_count: itemCount,
    asins_by_state: byState(itemCounts),
    pipeline: presentPipeline(defaultPipeline(list.platform)),
    default_pipeline: true,
    estimated_credits: estimatedCredits(list),
    run_count: list.runCount,
    consecutive_skips: list.consecutiveSkips,
    last_run_at: list.lastRunAt,
    last_run_status: list.lastRunStatus,
    next_run_at: list.nextRunAt,
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

function estimatedCredits({ platform, itemCounts }: Watchlist): Record<string, number> {
  const pipeline = defaultPipeline(platform);
  const { costQuarters } = scrapers[stepOf(pipeline, pipeline.entry).scraper];
  const everyRun = creditsFor((itemCounts.new + itemCounts.active) * costQuarters);
  return {
    pulseRun: everyRun,
    refreshRun: everyRun,
    newAsins: creditsFor(itemCounts.new * costQuarters),
  };
}
