import { invalidParam } from "../base/errors.ts";
import { inParallel } from "../base/in-parallel.ts";
import { type ItemPlace, itemPlaceIn, placeText } from "./all-items.ts";
import {
  type DetailedItem,
  type ItemOrder,
  type ItemSort,
  needsDetails,
  searchOf,
  sortItems,
} from "./arrange-items.ts";
import { detailsOfItems } from "./details-of-items.ts";
import { currentSnapshot, type Item } from "./item.ts";
import type { PageStore } from "./page-store.ts";
import { readItems } from "./read-items.ts";
import type { Watchlist } from "./watchlist.ts";

/** Whether an item is in stock, by its last known values. */
export const stocks = ["in", "out"] as const;
export type Stock = (typeof stocks)[number];

interface StockQuery {
  readonly watchlists: readonly Watchlist[];
  readonly stock: Stock;
  /** Lists only items whose ID, label and title contain each of these words. */
  readonly search: string | undefined;
  readonly sort: ItemSort;
  readonly order: ItemOrder;
  readonly limit: number;
  /** `next` of the previous page. */
  readonly startingAfter: string | undefined;
}

/** An item with its details and its watchlist. */
export interface StockItem extends DetailedItem {
  readonly watchlist: Watchlist;
}

export interface StockPage {
  readonly items: readonly StockItem[];
  /** `startingAfter` of the next page; null on the last page. */
  readonly next: string | null;
}

/** Number of watchlists that are read at the same time. */
const listsAtOnce = 8;

type Pages = Pick<PageStore, "details" | "detailsOf" | "pages">;

/**
 * Lists the items of several watchlists that are in stock or out of stock. Leaves out delisted
 * items, and items whose stock is not known. Decodes all items of the watchlists.
 * @throws 400 INVALID_PARAM if the item of `startingAfter` is not in the listing
 */
export async function listStockItems(query: StockQuery, pages: Pages): Promise<StockPage> {
  const { watchlists, search, sort, order, limit, startingAfter } = query;
  const isDetailed = search !== undefined || needsDetails(sort);
  const found = await inParallel(watchlists, listsAtOnce, (watchlist) =>
    isDetailed ? detailedItems(watchlist, query, pages) : bareItems(watchlist, query, pages),
  );
  const sorted = sortItems(found.flat(), { sort, order });
  const start = startingAfter === undefined ? 0 : indexAfter(sorted, itemPlaceIn(startingAfter));
  const items = sorted.slice(start, start + limit);
  const last = sorted.length > start + limit ? items.at(-1) : undefined;
  const next =
    last === undefined ? null : placeText({ watchlistId: last.watchlist.id, itemId: last.item.id });
  return { items: isDetailed ? items : await withDetails(items, pages), next };
}

async function bareItems(
  watchlist: Watchlist,
  { stock }: Pick<StockQuery, "stock">,
  pages: Pick<PageStore, "pages">,
): Promise<readonly StockItem[]> {
  const found: StockItem[] = [];
  for await (const item of readItems(pages, watchlist.id)) {
    if (isOfStock(item, stock)) found.push({ watchlist, item, details: undefined });
  }
  return found;
}

const isOfStock = (item: Item, stock: Stock): boolean =>
  item.state !== "delisted" && currentSnapshot(item)?.["inStock"] === (stock === "in");

async function detailedItems(
  watchlist: Watchlist,
  query: Pick<StockQuery, "search" | "stock">,
  pages: Pick<PageStore, "details" | "pages">,
): Promise<readonly StockItem[]> {
  const [items, details] = await Promise.all([
    bareItems(watchlist, query, pages),
    pages.details(watchlist.id),
  ]);
  const isFound = query.search === undefined ? () => true : searchOf(query.search);
  return items
    .map((one) => ({ ...one, details: details.get(one.item.id) }))
    .filter(({ item, details: own }) => isFound(item.id, own));
}

/** Adds the details of the items of one page. */
async function withDetails(
  items: readonly StockItem[],
  pages: Pick<PageStore, "detailsOf">,
): Promise<readonly StockItem[]> {
  const ofList = [...Map.groupBy(items, ({ watchlist }) => watchlist)];
  const read = await inParallel(ofList, listsAtOnce, async ([watchlist, own]) => {
    const ids = own.map(({ item }) => item.id);
    return [watchlist.id, await detailsOfItems(watchlist, ids, pages)] as const;
  });
  const details = new Map(read);
  return items.map((one) => ({ ...one, details: details.get(one.watchlist.id)?.get(one.item.id) }));
}

function indexAfter(items: readonly StockItem[], { watchlistId, itemId }: ItemPlace): number {
  const index = items.findIndex(
    ({ watchlist, item }) => watchlist.id === watchlistId && item.id === itemId,
  );
  if (index >= 0) return index + 1;
  throw invalidParam(
    "starting_after",
    "'starting_after' is no longer in this listing: the item was removed, or its stock changed. Read " +
      "the listing again from its first page.",
  );
}
