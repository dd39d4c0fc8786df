import type { Platform } from "../platforms/catalog.ts";
import type { Pipeline } from "../pipelines/definition.ts";
import { presentRouteStates } from "../pipelines/present-route-states.ts";
import { stepScrapers } from "../scrapers/catalog.ts";
import { currentSnapshot, type Item } from "./item.ts";
import type { ItemTally } from "./change-items.ts";
import { type ItemDetails, presentDetails } from "./item-details.ts";
import { totalOf } from "./item-counts.ts";
import type { Watchlist } from "./watchlist.ts";

/** The data about an item that is not stored with it. */
interface ItemContext {
  readonly details: ItemDetails | undefined;
  /** Time of the item's last successful read (ISO); null if there was none. */
  readonly lastReadAt: string | null;
  /**
   * Pipeline of the watchlist, for the states of its routes. If it is absent, the response has no
   * states.
   */
  readonly pipeline?: Pipeline;
}

/**
 * Converts a watchlist item to its form in API responses, with the item's details, if any. On
 * retailer_a, adds `asin`, which equals the ID.
 */
export function presentItem(
  item: Item,
  platform: Platform,
  { details, lastReadAt, pipeline }: ItemContext,
): Record<string, unknown> {
  const change = item.lastChange;
  return {
    id: item.id,
    object: "watchlist_item",
    ...(platform === "retailer_a" ? { asin: item.id } : {}),
    ...presentDetails(details),
    state: item.state,
    added_at: item.addedAt,
    first_read_at: item.firstReadAt,
    last_read_at: lastReadAt,
    last_read_status: item.lastReadStatus,
    consecutive_failures: item.consecutiveFailures,
    snapshot: currentSnapshot(item),
    snapshot_at: item.snapshotAt,
    last_change:
      change === null
        ? null
        : {
            changed_at: change.changedAt,
            run_id: change.runId,
            run_number: change.runNumber,
            step: change.step,
            scraper: change.scraper,
            tier: stepScrapers[change.scraper].tier,
            changes: change.changes,
          },
    delisted_at: item.delistedAt,
    route_states: pipeline === undefined ? [] : presentRouteStates(pipeline, item.routeStates),
  };
}

/**
 * Builds the response to an item change: the number of IDs by outcome, and the watchlist's new item
 * counts. The legacy path uses `object` = `watchlist_asins`.
 */
export function presentItemChange(
  object: "watchlist_items" | "watchlist_asins",
  { tally, watchlist }: { readonly tally: ItemTally; readonly watchlist: Watchlist },
): Record<string, unknown> {
  const { added, reactivated, updated, unchanged, removed, missing } = tally;
  const { new: fresh, active, delisted } = watchlist.itemCounts;
  const byState = { new: fresh, active, delisted };
  const count = totalOf(watchlist.itemCounts);
  return {
    object,
    watchlist_id: watchlist.id,
    added,
    reactivated,
    updated,
    unchanged,
    removed,
    missing,
    item_count: count,
    items_by_state: byState,
    asin_count: count,
    asins_by_state: byState,
  };
}
