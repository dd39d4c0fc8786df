import { scrapers } from "../scrapers/catalogue.ts";
import type { Item } from "./item.ts";

/** A watchlist item in the wire's words. */
export function presentItem(item: Item): Record<string, unknown> {
  const change = item.lastChange;
  return {
    id: item.id,
    object: "watchlist_item",
    state: item.state,
    added_at: item.addedAt,
    first_read_at: item.firstReadAt,
    last_read_status: item.lastReadStatus,
    consecutive_failures: item.consecutiveFailures,
    snapshot: item.snapshot,
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
            tier: scrapers[change.scraper].tier,
            changes: change.changes,
          },
    delisted_at: item.delistedAt,
  };
}
