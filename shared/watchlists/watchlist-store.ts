import type { IdempotencyRecord } from "./idempotency.ts";
import type { Watchlist } from "./watchlist.ts";

export interface DueWatchlist {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly dueAt: string;
}

/** The last write of a creation, after all other rows of the watchlist. */
export interface Creation {
  readonly watchlist: Watchlist;
  /** The idempotency record, which stores the answer; null without a key. */
  readonly record: IdempotencyRecord | null;
  /** The body of the 201. */
  readonly answer: string;
}

/** Stores watchlists. `PageStore` stores their items. */
export interface WatchlistStore {
  /** True if the account has the maximum number of watchlists. Only `create` enforces the limit. */
  isFull(accountId: string): Promise<boolean>;
  /**
   * Creates the watchlist, counts it, removes its purge mark and stores the answer, in one
   * transaction. `superseded` if another request has taken the creation over, or its purge has begun.
   */
  create(creation: Creation): Promise<"created" | "limit_reached" | "superseded">;
  get(accountId: string, watchlistId: string): Promise<Watchlist | undefined>;
  /** Lists watchlists, newest first. */
  list(
    accountId: string,
    limit: number,
  ): Promise<{ readonly watchlists: readonly Watchlist[]; readonly hasMore: boolean }>;
  /**
   * Writes the settings of `after`. Undefined if the watchlist was deleted, or its settings or its
   * run in progress differ from `before`.
   */
  update(change: {
    readonly before: Watchlist;
    readonly after: Watchlist;
  }): Promise<Watchlist | undefined>;
  /**
   * Removes the watchlist and its idempotency key, and sets a purge mark that is due at `purgeAt`.
   * False if the watchlist does not exist.
   */
  remove(list: {
    readonly accountId: string;
    readonly watchlistId: string;
    readonly purgeAt: Date;
  }): Promise<boolean>;
  /** Active watchlists that are due at `by`, longest due first. */
  due(by: Date, limit: number): Promise<readonly DueWatchlist[]>;
  /** Skips a due time during a run in progress: sets the next due time and counts the overlap. */
  skipOverlap(watchlist: Watchlist, nextRunAt: string): Promise<void>;
  /** Skips a due time of a watchlist without items. No effect if it has items. */
  skipEmpty(watchlist: Watchlist, nextRunAt: string): Promise<void>;
}
