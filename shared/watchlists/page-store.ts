import type { Item } from "./item.ts";
import type { StoredPage } from "./page.ts";

/** A range of item IDs, both ends inclusive; an absent end is open. */
export interface IdRange {
  readonly from?: string;
  readonly to?: string;
}

export interface WatchlistRef {
  readonly accountId: string;
  readonly watchlistId: string;
}

/**
 * `replaced`: the pages are written. The other results mean that nothing was written. `stale`: one of
 * the pages changed since it was read. `watchlist_deleted`: the watchlist was deleted. `full`: the watchlist
 * would have too many items.
 */
export type Replacement = "replaced" | "stale" | "watchlist_deleted" | "full";

/** Stores the items of a watchlist in pages. */
export interface PageStore {
  /**
   * The pages that overlap the range, in ID order, one at a time. Pages that are split or merged
   * during the iteration may repeat items, but never omit one.
   */
  pages(watchlistId: string, range?: IdRange): AsyncIterable<StoredPage>;
  /**
   * Replaces the items of adjacent pages, cuts them into pages within bounds, and changes the
   * watchlist's counters in the same transaction. Merges a page with few items with its neighbour.
   *
   * If IDs and counts are unchanged, the watchlist's row is not part of the write: a deleted watchlist
   * then gives `stale`, and the next read finds no page. `stale` can also mean that the write took
   * effect, but its response was lost and another writer followed. So a repeat must be idempotent.
   */
  replace(
    list: WatchlistRef,
    before: readonly StoredPage[],
    items: readonly Item[],
  ): Promise<Replacement>;
  /**
   * Writes the pages of a watchlist that does not exist yet. Keeps existing pages, which an earlier
   * attempt of the same creation wrote.
   */
  create(watchlistId: string, items: readonly Item[]): Promise<void>;
  /** Removes all pages of a watchlist that no longer exists. Idempotent. */
  removeAll(watchlistId: string): Promise<void>;
}
