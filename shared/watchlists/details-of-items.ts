import { chunksOf } from "../base/chunks-of.ts";
import { inParallel } from "../base/in-parallel.ts";
import { limits } from "../base/limits.ts";
import type { ItemDetails } from "./item-details.ts";
import { totalOf } from "./item-counts.ts";
import type { PageStore } from "./page-store.ts";
import type { Watchlist } from "./watchlist.ts";

/** Number of pages that are read at the same time. */
const pagesAtOnce = 10;

/**
 * Reads the details of items, by item ID. Items without details are not in the result.
 * @param itemIds in any order
 */
export async function detailsOfItems(
  { id, itemCounts }: Pick<Watchlist, "id" | "itemCounts">,
  itemIds: readonly string[],
  pages: Pick<PageStore, "detailsOf">,
): Promise<ReadonlyMap<string, ItemDetails>> {
  const sorted = [...new Set(itemIds)].toSorted();
  // Each part is read page by page, so with more parts than pages, some pages would be read twice.
  const parts = Math.min(pagesAtOnce, Math.ceil(totalOf(itemCounts) / limits.pageItemsMax));
  const size = Math.max(1, Math.ceil(sorted.length / Math.max(1, parts)));
  const foundDetails = await inParallel(chunksOf(sorted, size), pagesAtOnce, (ids) =>
    pages.detailsOf(id, ids),
  );
  return new Map(foundDetails.flat().map((one) => [one.id, one]));
}
