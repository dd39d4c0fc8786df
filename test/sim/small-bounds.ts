import { limits } from "../../shared/base/limits.ts";
import { duePartitions } from "../../shared/base/table-schema.ts";
import { pageBounds } from "../../shared/watchlists/page.ts";

/**
 * Makes bounds small, for the whole process, so that small lists have pages that split and merge,
 * steps in several batches and events in several parts, and accounts reach their limits soon. Every sweep asks each partition of what is
 * due: two of them are as good as sixteen to tell that there are several.
 */
export function useSmallBounds(): void {
  Object.assign(duePartitions, { hold: 2, outbox: 2, run: 1, watchlist: 1, purge: 1 });
  Object.assign(pageBounds, { itemsMax: 4, mergeItemsMax: 2 });
  Object.assign(limits, { batchIdsMax: 3, itemEventsMax: 3, watchlistsMax: 12, apiKeysMax: 8 });
  // Less than the retry schedule takes, so that receivers that stay down are disabled.
  Object.assign(limits, { webhookFailingDaysMax: 2 });
}
