import { conflict, invalidParam } from "../base/errors.ts";
import { limits } from "../base/limits.ts";
import { quantity } from "../base/quantity.ts";
import { parseItemIds } from "../platforms/item-id.ts";
import type { Item } from "../watchlists/item.ts";
import { compareIds } from "../watchlists/id-order.ts";
import { totalOf } from "../watchlists/item-counts.ts";
import type { IdRange, PageStore } from "../watchlists/page-store.ts";
import { readItems } from "../watchlists/read-items.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";

const { previewItemsMax } = limits;

/**
 * Refuses a preview of a watchlist whose runs would read no item.
 * @throws 409 if the watchlist is empty or all of its items are delisted
 */
export function refuseWithoutItems({ itemCounts }: Pick<Watchlist, "itemCounts">): void {
  if (itemCounts.new + itemCounts.active > 0) return;
  throw conflict(
    "This watchlist has no items that a run reads, so there is nothing to preview. Nothing was " +
      "charged. Add items with POST /v1/watchlists/{id}/items.",
  );
}

/**
 * Parses the item IDs that a preview request contains. Returns the IDs normalized, unique and
 * sorted.
 * @param sent the IDs as the client sent them
 * @throws 400 that names the parameter, if an ID is malformed, if there are no IDs, or if there are
 * more than `limits.previewItemsMax` different IDs
 */
export function parsePreviewedIds(
  { platform }: Pick<Watchlist, "platform">,
  sent: readonly string[],
): readonly string[] {
  const ids = parseItemIds(platform, sent, "items");
  if (ids.length === 0) {
    throw invalidParam("items", "'items' is empty. Send at least one item ID, or omit 'items'.");
  }
  if (ids.length > previewItemsMax) {
    throw invalidParam(
      "items",
      `'items' must have at most ${quantity(previewItemsMax, "ID")} (got ${ids.length}). Send fewer.`,
    );
  }
  return ids.toSorted(compareIds);
}

/**
 * Reads the items to preview, sorted by ID: the items with the given IDs, or, if `ids` is
 * undefined, the first `limits.previewItemsMax` items that are not delisted.
 * @throws 400 for an ID that is not on the watchlist or is delisted; 409 if `ids` is undefined and
 * all items are delisted or were removed
 */
export async function findPreviewItems(
  watchlist: Watchlist,
  ids: readonly string[] | undefined,
  pages: Pick<PageStore, "pages">,
): Promise<readonly Item[]> {
  if (ids !== undefined) {
    const foundItems = new Map<string, Item>();
    for (const range of rangesOf(watchlist, ids)) {
      for await (const page of pages.pages(watchlist.id, range)) {
        for (const item of page.items) foundItems.set(item.id, item);
      }
    }
    return ids.map((id) => readable(foundItems.get(id), id));
  }
  const items: Item[] = [];
  for await (const item of readItems(pages, watchlist.id)) {
    if (item.state !== "delisted") items.push(item);
    if (items.length === previewItemsMax) break;
  }
  // Other calls may have removed the items since the watchlist was read.
  const left = { new: items.length, active: 0, delisted: 0 };
  refuseWithoutItems({ itemCounts: left });
  return items;
}

/** Maximum number of IDs for which `rangesOf` returns one range for each ID. */
const rangesMax = 100;

/**
 * Returns the ranges of pages to read: one range for all IDs, or one for each ID. A range for each
 * ID is better in a watchlist with many pages, in which few IDs can be far apart.
 * @param itemIds sorted
 */
function rangesOf(
  { itemCounts }: Pick<Watchlist, "itemCounts">,
  itemIds: readonly string[],
): readonly IdRange[] {
  const [from, to] = [itemIds[0], itemIds.at(-1)];
  if (from === undefined || to === undefined) return [];
  return totalOf(itemCounts) > limits.pageItemsMax && itemIds.length <= rangesMax
    ? itemIds.map((id) => ({ from: id, to: id }))
    : [{ from, to }];
}

/**
 * Returns the item if a run reads it.
 * @throws 400 if it is missing or delisted
 */
function readable(item: Item | undefined, id: string): Item {
  if (item === undefined) {
    throw invalidParam(
      "items",
      `Item ${id} is not on this watchlist. Nothing was charged. List the items with ` +
        "GET /v1/watchlists/{id}/items.",
    );
  }
  if (item.state === "delisted") {
    throw invalidParam(
      "items",
      `Item ${id} is delisted, so runs do not read it. Nothing was charged. Add it again with ` +
        "POST /v1/watchlists/{id}/items to read it.",
    );
  }
  return item;
}
