import type { Page, StoredPage } from "./page.ts";
import type { ItemCounts, Watchlist } from "./watchlist.ts";

/** An id range of a list, both ends inclusive; an absent end is open. */
export interface IdRange {
  readonly from?: string;
  readonly to?: string;
}

export interface DueList {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly dueAt: string;
}

/** Lists and the pages of their items. */
export interface WatchlistStore {
  /**
   * Writes the pages, then the list together with the account's count of lists. Until the list row
   * exists nothing of it can be seen.
   */
  create(watchlist: Watchlist, pages: readonly Page[]): Promise<"created" | "limit_reached">;
  get(accountId: string, watchlistId: string): Promise<Watchlist | undefined>;
  /** Newest first. */
  list(
    accountId: string,
    limit: number,
  ): Promise<{ readonly watchlists: readonly Watchlist[]; readonly hasMore: boolean }>;
  /** The pages that overlap the range, in id order, one at a time. */
  pages(watchlistId: string, range?: IdRange): AsyncIterable<StoredPage>;
  /** Replaces a page that is still at the version read; false when somebody wrote it meanwhile. */
  replacePage(watchlistId: string, page: StoredPage): Promise<boolean>;
  /** Items by state, folded over the pages. */
  countItems(watchlistId: string): Promise<ItemCounts>;
  /** Active lists that were due by a time, longest due first. */
  due(by: Date, limit: number): Promise<readonly DueList[]>;
  /** Moves a due time that fell into a running run to the next one, and counts it. */
  skipOverlap(watchlist: Watchlist, nextRunAt: string): Promise<void>;
}
