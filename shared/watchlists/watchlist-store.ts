import type { IdempotencyRecord } from "./idempotency.ts";
import type { Watchlist } from "./watchlist.ts";

export interface DueList {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly dueAt: string;
}

/** The last write of a creation: everything else of the list is there. */
export interface Creation {
  readonly watchlist: Watchlist;
  /** What is remembered of the request; it gets the answer. Null for one without a key. */
  readonly record: IdempotencyRecord | null;
  /** The body of the 201. */
  readonly answer: string;
}

/** The lists of accounts. Their items are in the pages (`PageStore`). */
export interface WatchlistStore {
  /** A look at the account's count of lists; `create` is what holds the limit. */
  isFull(accountId: string): Promise<boolean>;
  /**
   * Makes the list, counts it, takes away its purge mark and keeps the answer, all or nothing.
   * `superseded` when the creation is somebody else's by now, or its purge has begun.
   */
  create(creation: Creation): Promise<"created" | "limit_reached" | "superseded">;
  get(accountId: string, watchlistId: string): Promise<Watchlist | undefined>;
  /** Newest first. */
  list(
    accountId: string,
    limit: number,
  ): Promise<{ readonly watchlists: readonly Watchlist[]; readonly hasMore: boolean }>;
  /**
   * Writes the settings of `after` over those of `before`; undefined when the list is gone, or has
   * other settings or another run than `before`.
   */
  update(change: {
    readonly before: Watchlist;
    readonly after: Watchlist;
  }): Promise<Watchlist | undefined>;
  /**
   * Removes the list with its idempotency key, and marks it to be purged from `purgeAt` on; false
   * when there is no such list.
   */
  remove(list: {
    readonly accountId: string;
    readonly watchlistId: string;
    readonly purgeAt: Date;
  }): Promise<boolean>;
  /** Active lists that were due by a time, longest due first. */
  due(by: Date, limit: number): Promise<readonly DueList[]>;
  /** Moves a due time that fell into a running run to the next one, and counts it. */
  skipOverlap(watchlist: Watchlist, nextRunAt: string): Promise<void>;
  /** Moves the due time of a watchlist that has no items to the next one; nothing if it has some. */
  skipEmpty(watchlist: Watchlist, nextRunAt: string): Promise<void>;
}
