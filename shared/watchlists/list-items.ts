import { invalidParam } from "../base/errors.ts";
import {
  type DetailedItem,
  type ItemOrder,
  type ItemSort,
  searchOf,
  sortItems,
} from "./arrange-items.ts";
import type { Item, ItemState } from "./item.ts";
import type { ItemDetails } from "./item-details.ts";
import { maxChangedAt } from "./page.ts";
import type { PageStore } from "./page-store.ts";
import { readItems } from "./read-items.ts";

/** Selects the items of a listing and their order. An undefined filter selects all items. */
export interface ItemQuery {
  readonly limit: number;
  /**
   * Lists only items after the item with this ID. If the list is sorted by ID, this item need not
   * be on the watchlist.
   */
  readonly startingAfter: string | undefined;
  readonly state: ItemState | undefined;
  /** Lists only items whose normalized ID begins with this prefix. */
  readonly idPrefix?: string | undefined;
  /**
   * Lists only items that changed or were delisted at this time or later; undefined for all items.
   */
  readonly changedSince: Date | undefined;
  /** Lists only items whose ID, label and title together contain all of these words. */
  readonly search?: string | undefined;
  /** The value by which the items are sorted. @default id */
  readonly sort?: ItemSort | undefined;
  /** The direction of the sort. @default asc */
  readonly order?: ItemOrder | undefined;
}

/** A page of the items of a watchlist. */
export interface ItemsPage {
  readonly items: readonly DetailedItem[];
  /** True if more items match. */
  readonly hasMore: boolean;
}

type Pages = Pick<PageStore, "details" | "pages">;

/**
 * Lists the items of a watchlist that match the query, with their details: at most `limit` items,
 * from the first item after `startingAfter`. Without a search, and in ascending order of IDs,
 * decodes only pages that may contain a match. In any other case, reads all items that match the
 * filters.
 * @throws 400 INVALID_PARAM if a list with a search or in another order does not contain the item
 * of `startingAfter`
 */
export const listItems = (
  watchlistId: string,
  query: ItemQuery,
  pages: Pages,
): Promise<ItemsPage> =>
  isInIdOrder(query)
    ? firstItems(watchlistId, query, pages)
    : arrangedItems(watchlistId, query, pages);

const isInIdOrder = ({ search, sort = "id", order = "asc" }: ItemQuery): boolean =>
  search === undefined && sort === "id" && order === "asc";

/** Lists items in the order of their IDs, without a search. */
async function firstItems(watchlistId: string, query: ItemQuery, pages: Pages): Promise<ItemsPage> {
  const foundItems: Item[] = [];
  let hasMore = false;
  for await (const item of matchingItems(watchlistId, query, pages)) {
    if (foundItems.length === query.limit) {
      hasMore = true;
      break;
    }
    foundItems.push(item);
  }
  const [first, last] = [foundItems[0], foundItems.at(-1)];
  const details =
    first === undefined || last === undefined
      ? new Map<string, ItemDetails>()
      : await pages.details(watchlistId, { from: first.id, to: last.id });
  return { items: foundItems.map((item) => ({ item, details: details.get(item.id) })), hasMore };
}

/** Lists items in any order, from all items that match. */
async function arrangedItems(
  watchlistId: string,
  query: ItemQuery,
  pages: Pages,
): Promise<ItemsPage> {
  const { limit, startingAfter, search, sort = "id", order = "asc" } = query;
  const isFound = search === undefined ? () => true : searchOf(search);
  const [details, items] = await Promise.all([
    pages.details(watchlistId),
    Array.fromAsync(matchingItems(watchlistId, { ...query, startingAfter: undefined }, pages)),
  ]);
  const matching = items
    .filter(({ id }) => isFound(id, details.get(id)))
    .map((item) => ({ item, details: details.get(item.id) }));
  const sorted = sortItems(matching, { sort, order });
  const start =
    startingAfter === undefined ? 0 : sorted.findIndex(({ item }) => item.id === startingAfter) + 1;
  if (startingAfter !== undefined && start === 0) throw notListed();
  return {
    items: sorted.slice(start, start + limit),
    hasMore: sorted.length > start + limit,
  };
}

const notListed = (): Error =>
  invalidParam(
    "starting_after",
    "The item in 'starting_after' is no longer in this listing: it was removed, or no longer matches. " +
      "Read the listing again from its first page.",
  );

/** Yields the items that match all filters except the search, in ID order. */
async function* matchingItems(
  watchlistId: string,
  { startingAfter, state, idPrefix, changedSince }: ItemQuery,
  pages: Pick<PageStore, "pages">,
): AsyncGenerator<Item> {
  const since = changedSince?.toISOString();
  const isIn = (at: string | null): boolean => since === undefined || (at ?? "") >= since;
  const foundItems = readItems(pages, watchlistId, {
    after: startingAfter,
    idPrefix,
    mayHold: (page) => (state === undefined || page.counts[state] > 0) && isIn(page.maxChangedAt),
  });
  for await (const item of foundItems) {
    if ((state === undefined || item.state === state) && isIn(maxChangedAt([item]))) yield item;
  }
}
