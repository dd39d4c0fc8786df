import { inParallel } from "../base/in-parallel.ts";
import { limits } from "../base/limits.ts";
import type { ItemDetails } from "./item-details.ts";
import { totalOf } from "./page.ts";
import type { IdRange, PageStore } from "./page-store.ts";
import type { Watchlist } from "./watchlist.ts";

/** Number of ranges that are read at the same time. */
const rangesAtOnce = 10;
/** Number of items above which one range is read instead of a range for each item. */
const rangesMax = 100;

/**
 * Reads the details of items. Items without details are absent.
 * @param itemIds in any order
 */
export async function detailsOfItems(
  watchlist: Pick<Watchlist, "id" | "itemCounts">,
  itemIds: readonly string[],
  pages: Pick<PageStore, "details">,
): Promise<ReadonlyMap<string, ItemDetails>> {
  const ranges = rangesOf(watchlist, [...new Set(itemIds)].toSorted());
  const found = new Map<string, ItemDetails>();
  await inParallel(ranges, rangesAtOnce, async (range) => {
    for (const [id, details] of await pages.details(watchlist.id, range)) found.set(id, details);
  });
  return found;
}

/**
 * Returns the ranges in which to read items or their details: one for all IDs, or one for each ID
 * of a watchlist with many pages, in which few IDs can be far apart.
 * @param itemIds sorted
 */
export function rangesOf(
  { itemCounts }: Pick<Watchlist, "itemCounts">,
  itemIds: readonly string[],
): readonly IdRange[] {
  const [from, to] = [itemIds[0], itemIds.at(-1)];
  if (from === undefined || to === undefined) return [];
  return totalOf(itemCounts) > limits.pageItemsMax && itemIds.length <= rangesMax
    ? itemIds.map((id) => ({ from: id, to: id }))
    : [{ from, to }];
}
