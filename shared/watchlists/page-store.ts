import type { Item } from "./item.ts";
import type { StoredPage } from "./page.ts";

/** An id range of a list, both ends inclusive; an absent end is open. */
export interface IdRange {
  readonly from?: string;
  readonly to?: string;
}

export interface ListRef {
  readonly accountId: string;
  readonly watchlistId: string;
}

/**
 * `replaced`: what was asked for is in place, also when it took a repeat after a lost answer to learn
 * of it. `stale`: somebody wrote one of the pages since it was read. `list_gone`: the list was deleted.
 * `full`: the list would hold more items than it may. In each case nothing was written.
 */
export type Replacement = "replaced" | "stale" | "list_gone" | "full";

/** The pages of a list's items. */
export interface PageStore {
  /**
   * The pages that overlap the range, in id order, one at a time. Pages that split or merge
   * meanwhile leave no gap; an item may then come again, never out of reach.
   */
  pages(watchlistId: string, range?: IdRange): AsyncIterable<StoredPage>;
  /**
   * Replaces the items of one page, or of adjacent ones, cut anew into pages within their bounds;
   * in the same transaction the list's counters move by the difference. Pages that are left with few
   * items are merged with a neighbour.
   *
   * A page that keeps its ids, with as many in each state, is written alone: that its list was deleted
   * shows as `stale`, and by the next look as no page at all. It can be `stale` after it was in place,
   * when its answer got lost and another writer came next: doing it again must be harmless.
   */
  replace(
    list: ListRef,
    before: readonly StoredPage[],
    items: readonly Item[],
  ): Promise<Replacement>;
  /**
   * Writes the pages of a list that does not exist yet. A page that is there already was written by
   * an earlier try of the same creation and stays.
   */
  create(watchlistId: string, items: readonly Item[]): Promise<void>;
  /** Removes every page of a list that no longer exists; safe to repeat. */
  removeAll(watchlistId: string): Promise<void>;
}
