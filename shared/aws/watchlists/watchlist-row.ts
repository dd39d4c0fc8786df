import type { Watchlist } from "../../watchlists/watchlist.ts";
import { totalOf } from "../../watchlists/item-counts.ts";
import { presentSettings, settingsOfRow } from "../../watchlists/settings.ts";
import type { Row } from "../table/dynamo.ts";

/** Returns the row of a watchlist, without its key. */
export function watchlistRow(watchlist: Watchlist): Row {
  return {
    ...settingsRow(watchlist),
    id: watchlist.id,
    account_id: watchlist.accountId,
    platform: watchlist.platform,
    marketplace: watchlist.marketplace,
    item_counts: watchlist.itemCounts,
    item_total: totalOf(watchlist.itemCounts),
    run_count: watchlist.runCount,
    consecutive_skips: watchlist.consecutiveSkips,
    missing_fields: watchlist.missingFields,
    refresh_due: watchlist.refreshDue,
    overlaps: watchlist.overlaps,
    running_run: watchlist.runningRun,
    last_run_at: watchlist.lastRunAt,
    last_run_status: watchlist.lastRunStatus,
    created_at: watchlist.createdAt,
  };
}

/**
 * Parses the row of a watchlist. Does not validate the row, because only this service writes these
 * rows.
 */
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
    ...settingsOfRow(row),
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
 * Returns the attributes that an update of a watchlist replaces: the settings, the status, the next
 * due time and the revision.
 */
export function settingsRow(watchlist: Watchlist): Row {
  return {
    name: watchlist.name,
    status: watchlist.status,
    paused_reason: watchlist.pausedReason,
    schedule: watchlist.schedule,
    pipeline: watchlist.pipeline,
    ...presentSettings(watchlist),
    webhook_endpoint_id: watchlist.webhookEndpointId,
    webhook_url: watchlist.webhookUrl,
    next_run_at: watchlist.nextRunAt,
    revision: watchlist.revision,
    updated_at: watchlist.updatedAt,
  };
}
