import type { Watchlist } from "../../watchlists/watchlist.ts";
import { totalOf } from "../../watchlists/page.ts";
import { presentSettings, storedSettings } from "../../watchlists/settings.ts";
import type { Row } from "../table/dynamo.ts";

/** Returns the row of a watchlist, without its key. */
export function watchlistRow(list: Watchlist): Row {
  return {
    ...settingsRow(list),
    id: list.id,
    account_id: list.accountId,
    platform: list.platform,
    marketplace: list.marketplace,
    item_counts: list.itemCounts,
    item_total: totalOf(list.itemCounts),
    run_count: list.runCount,
    consecutive_skips: list.consecutiveSkips,
    missing_fields: list.missingFields,
    refresh_due: list.refreshDue,
    overlaps: list.overlaps,
    running_run: list.runningRun,
    last_run_at: list.lastRunAt,
    last_run_status: list.lastRunStatus,
    created_at: list.createdAt,
  };
}

/** Parses the row of a watchlist. Unchecked, because only this service writes these rows. */
export function watchlistOf(row: Row): Watchlist {
  return {
    id: row["id"],
    accountId: row["account_id"],
    name: row["name"],
    platform: row["platform"],
    marketplace: row["marketplace"],
    status: row["status"],
    pausedReason: row["paused_reason"],
    schedule: row["schedule"],
    pipeline: row["pipeline"],
    ...storedSettings(row),
    webhookEndpointId: row["webhook_endpoint_id"],
    webhookUrl: row["webhook_url"],
    itemCounts: row["item_counts"],
    runCount: row["run_count"],
    consecutiveSkips: row["consecutive_skips"],
    // Absent in rows that earlier releases wrote.
    refreshDue: row["refresh_due"] ?? false,
    ...(row["missing_fields"] !== undefined && { missingFields: row["missing_fields"] }),
    overlaps: row["overlaps"],
    runningRun: row["running_run"],
    lastRunAt: row["last_run_at"],
    lastRunStatus: row["last_run_status"],
    nextRunAt: row["next_run_at"],
    revision: row["revision"],
    createdAt: row["created_at"],
    updatedAt: row["updated_at"],
  } as Watchlist;
}

/**
 * Returns the attributes of the row that an update of the watchlist replaces: the settings, the
 * status, the next due time and the revision.
 */
export function settingsRow(list: Watchlist): Row {
  return {
    name: list.name,
    status: list.status,
    paused_reason: list.pausedReason,
    schedule: list.schedule,
    pipeline: list.pipeline,
    ...presentSettings(list),
    webhook_endpoint_id: list.webhookEndpointId,
    webhook_url: list.webhookUrl,
    next_run_at: list.nextRunAt,
    revision: list.revision,
    updated_at: list.updatedAt,
  };
}
