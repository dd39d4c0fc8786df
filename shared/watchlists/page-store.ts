import type { Changed } from "../base/after-change.ts";
import type { DetailedItem } from "./arrange-items.ts";
import type { Item } from "./item.ts";
import type { ItemDetails } from "./item-details.ts";
import type { StoredPage } from "./page.ts";

/** A range of item IDs, both ends inclusive. An absent end is unbounded. */
export interface IdRange {
  readonly from?: string;
  readonly to?: string;
}

/** Selects item details. */
export interface DetailsQuery extends IdRange {
  /**
   * Words in lower case. A page is left out if none of its items can have all of the words in its
   * ID, label or title. Items on the other pages need not have the words. If `words` is absent, no
   * page is left out.
   */
  readonly words?: readonly string[];
}

/** Identifies a watchlist in stores. */
export interface WatchlistRef {
  readonly accountId: string;
  readonly watchlistId: string;
}

/**
 * Outcome of the replacement of pages:
 * - `replaced`: the pages are written.
 * - `stale`: nothing was written, because one of the pages changed after it was read (exception:
 *   see `PageStore.replaceItems`).
 * - `watchlist_deleted`: nothing was written, because the watchlist was deleted.
 * - `full`: nothing was written, because the watchlist would have too many items.
 */
export type Replacement = "replaced" | "stale" | "watchlist_deleted" | "full";

/** A change of item details. */
export interface DetailsChange {
  /** Sorted and unique IDs of the items to change. */
  readonly ids: readonly string[];
  /**
   * Returns the new details of an item; undefined to delete them. The store calls this function
   * again after each conflict, with the details that are stored then. If the outcome of the change
   * is `done`, the result of the last call for each ID is stored.
   */
  readonly change: (
    before: ItemDetails | undefined,
    id: string,
  ) => Changed<ItemDetails | undefined>;
}

/**
 * Outcome of a change of item details. `contended`: the change stopped after too many conflicts
 * with other writers of a page. After `watchlist_deleted` and `contended`, some of the pages may
 * have changed.
 */
export type DetailsChanged = "done" | "watchlist_deleted" | "contended";

/**
 * Stores the items of a watchlist in pages, and their details in separate pages. An item and its
 * details are not written together.
 */
export interface PageStore {
  /**
   * Yields the pages that overlap the range, in ID order. If a concurrent write splits or merges
   * pages, an item may occur twice, but no item is left out.
   */
  pages(watchlistId: string, range?: IdRange): AsyncIterable<StoredPage>;
  /**
   * Replaces the items of adjacent pages by items with other IDs, splits them into pages within
   * `PageBounds`, and updates the watchlist's counters, in one transaction. Merges a page with few
   * items with its neighbor. See `Replacement` for the outcomes.
   * @param items all items of the pages after the change, sorted by ID
   */
  replace(
    watchlist: WatchlistRef,
    before: readonly StoredPage[],
    items: readonly Item[],
  ): Promise<Replacement>;
  /**
   * Replaces some items of a page, and keeps its other items. Faster than `replace`, because the
   * other items are not decoded. See `Replacement` for the outcomes.
   *
   * If the number of items in each state stays the same, the write does not include the watchlist's
   * row. Such a write differs in two ways:
   * - If the watchlist was deleted, it returns `stale`, and the next read finds no page.
   * - It may return `stale` although it took effect, if its response was lost and another writer
   *   followed. The change must therefore be idempotent.
   * @param changed the new versions of items of `page`, sorted by ID
   */
  replaceItems(
    watchlist: WatchlistRef,
    page: StoredPage,
    changed: readonly Item[],
  ): Promise<Replacement>;
  /**
   * Writes the first pages of a watchlist. Leaves existing pages unchanged: an earlier attempt of
   * the same creation wrote them.
   */
  create(watchlistId: string, items: readonly Item[]): Promise<void>;
  /**
   * Reads the details of the items in a range. Items without details are absent. Strongly
   * consistent.
   */
  details(watchlistId: string, query?: DetailsQuery): Promise<ReadonlyMap<string, ItemDetails>>;
  /**
   * Reads the details of some items, with one request for each page that has some of them. Items
   * without details are absent. Strongly consistent.
   * @param itemIds sorted
   */
  detailsOf(watchlistId: string, itemIds: readonly string[]): Promise<readonly ItemDetails[]>;
  /** Changes the details of items, page by page. Reads each page once, unless it is contended. */
  changeDetails(watchlist: WatchlistRef, change: DetailsChange): Promise<DetailsChanged>;
  /**
   * Creates the details pages of a new watchlist. Call it after `create`, which creates its pages
   * of items.
   */
  createDetails(watchlistId: string, details: readonly ItemDetails[]): Promise<void>;
  /** Deletes all pages of a watchlist that no longer exists. Idempotent. */
  removeAll(watchlistId: string): Promise<void>;
}

/** Finds items of the stored pages by their stock. */
export interface StockStore {
  /**
   * Returns the items of a watchlist that are out of stock, in ID order, with their details if they
   * have any. Strongly consistent.
   */
  outOfStock(watchlistId: string): Promise<readonly DetailedItem[]>;
}
