import { invalidParam } from "../base/errors.ts";
import { inParallel } from "../base/in-parallel.ts";
import { type ItemPlace, itemPlaceIn, placeText } from "./all-items.ts";
import {
  type DetailedItem,
  type ItemOrder,
  type ItemSort,
  searchOf,
  sortItems,
} from "./arrange-items.ts";
import type { StockStore } from "./page-store.ts";
import type { Watchlist } from "./watchlist.ts";

/** Values of the `stock` filter. `out` selects the items that are out of stock. */
export const stocks = ["out"] as const;

interface StockQuery {
  readonly watchlists: readonly Watchlist[];
  /** Lists only items whose ID, label and title together contain all of these words. */
  readonly search: string | undefined;
  readonly sort: ItemSort;
  readonly order: ItemOrder;
  readonly limit: number;
  /** The cursor `next` of the previous page; undefined for the first page. */
  readonly startingAfter: string | undefined;
}

/** An item with its details and its watchlist. */
export interface StockItem extends DetailedItem {
  readonly watchlist: Watchlist;
}

/** A page of the items that are out of stock. */
export interface StockPage {
  readonly items: readonly StockItem[];
  /** The cursor to send as `startingAfter` for the next page; null on the last page. */
  readonly next: string | null;
}

/** Number of watchlists that are read at the same time. */
const watchlistsAtOnce = 16;

/**
 * Lists one page of the items of several watchlists that are out of stock, sorted by `sort` and
 * `order`. Leaves out delisted items, and items whose stock is not known.
 * @throws 400 INVALID_PARAM if the item of `startingAfter` is not in the listing
 */
export async function listStockItems(query: StockQuery, store: StockStore): Promise<StockPage> {
  const { watchlists, search, sort, order, limit, startingAfter } = query;
  const isFound = search === undefined ? () => true : searchOf(search);
  const found = await inParallel(watchlists, watchlistsAtOnce, async (watchlist) => {
    const items = await store.outOfStock(watchlist.id);
    return items
      .filter(({ item, details }) => isFound(item.id, details))
      .map(({ item, details }) => ({ watchlist, item, details }));
  });
  const sorted = sortItems(found.flat(), { sort, order });
  const start = startingAfter === undefined ? 0 : indexAfter(sorted, itemPlaceIn(startingAfter));
  const items = sorted.slice(start, start + limit);
  const last = sorted.length > start + limit ? items.at(-1) : undefined;
  const next =
    last === undefined ? null : placeText({ watchlistId: last.watchlist.id, itemId: last.item.id });
  return { items, next };
}

/**
 * Returns the index after the item of a cursor.
 * @throws 400 if the listing does not have the item
 */
function indexAfter(items: readonly StockItem[], { watchlistId, itemId }: ItemPlace): number {
  const index = items.findIndex(
    ({ watchlist, item }) => watchlist.id === watchlistId && item.id === itemId,
  );
  if (index >= 0) return index + 1;
  throw invalidParam(
    "starting_after",
    "The item in 'starting_after' is no longer in this list: it was removed, or its stock changed. Read " +
      "the list again from its first page.",
  );
}
