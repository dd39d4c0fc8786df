import type { IdempotencyRecord } from "./idempotency.ts";
import type { Watchlist } from "./watchlist.ts";

/** An active watchlist whose next run is due. */
export interface DueWatchlist {
  readonly accountId: string;
  readonly watchlistId: string;
  /** The due time of the run, ISO 8601. */
  readonly dueAt: string;
}

/** The last write of a creation. All other rows of the watchlist are already stored. */
export interface Creation {
  readonly watchlist: Watchlist;
  /** The idempotency record that stores the response; null if the request has no key. */
  readonly record: IdempotencyRecord | null;
  /** Body of the 201 response. */
  readonly answer: string;
}

/** Stores watchlists. `PageStore` stores their items. */
export interface WatchlistStore {
  /**
   * Returns true if the account has the maximum number of watchlists. A concurrent creation may
   * change the result, so `create` enforces the limit.
   */
  isFull(accountId: string): Promise<boolean>;
  /**
   * Stores the watchlist, adds 1 to the account's number of watchlists, deletes the purge mark and
   * stores the response, in one transaction. Writes nothing for the other outcomes: `limit_reached`
   * if the account has the maximum number of watchlists; `superseded` if another request took over
   * the creation, or the purge of the watchlist began.
   */
  create(creation: Creation): Promise<"created" | "limit_reached" | "superseded">;
  /** Reads a watchlist; undefined if the account has no watchlist with this ID. */
  get(accountId: string, watchlistId: string): Promise<Watchlist | undefined>;
  /**
   * Lists at most `limit` watchlists of an account, newest first. `hasMore` is true if older
   * watchlists follow.
   */
  list(
    accountId: string,
    limit: number,
  ): Promise<{ readonly watchlists: readonly Watchlist[]; readonly hasMore: boolean }>;
  /**
   * Writes the settings of `after` and returns the stored watchlist. Returns undefined and writes
   * nothing if the watchlist was deleted, or if its settings, status, due time or last run have
   * changed since `before` was read.
   */
  update(change: {
    readonly before: Watchlist;
    readonly after: Watchlist;
  }): Promise<Watchlist | undefined>;
  /**
   * Deletes the watchlist's row and its idempotency record, and sets a purge mark that is due at
   * `purgeAt`. Returns false if the watchlist does not exist.
   */
  remove(watchlist: {
    readonly accountId: string;
    readonly watchlistId: string;
    readonly purgeAt: Date;
  }): Promise<boolean>;
  /** Lists at most `limit` active watchlists that are due at `by`, the longest due first. */
  due(by: Date, limit: number): Promise<readonly DueWatchlist[]>;
  /**
   * Skips a due time because a run is in progress: sets the next due time, and adds 1 to the
   * watchlist's `overlaps`.
   */
  skipOverlap(watchlist: Watchlist, nextRunAt: string): Promise<void>;
  /**
   * Skips a due time of a watchlist without items, by setting the next due time. Does nothing if
   * the watchlist has items.
   */
  skipEmpty(watchlist: Watchlist, nextRunAt: string): Promise<void>;
}
