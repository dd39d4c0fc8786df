/**
 * Stores purge marks, and removes the rows of watchlists that do not exist: deleted ones, and those
 * whose creation was not completed. The mark is removed last. An existing watchlist has no mark.
 */
export interface PurgeStore {
  /**
   * Marks a watchlist before its creation, so that it is purged at `purgeAt` unless the creation
   * completes. False if its purge has begun, or if another request has completed the creation.
   */
  expectCreation(
    list: { readonly accountId: string; readonly id: string },
    purgeAt: Date,
  ): Promise<boolean>;
  /** IDs of watchlists whose purge is due at `by`, longest due first. */
  due(by: Date, limit: number): Promise<readonly string[]>;
  /**
   * Starts or resumes the purge of a watchlist, after which it cannot be created. Its mark is due
   * again at `nextCheck`. False if there is nothing to purge, or the purge is not due. `abandoned`:
   * the creating request has failed, so the purge is due now.
   */
  begin(
    watchlistId: string,
    look: { readonly now: Date; readonly nextCheck: Date; readonly abandoned: boolean },
  ): Promise<boolean>;
  /** True while a run of the watchlist is in progress, which needs its rows. */
  isRunning(watchlistId: string): Promise<boolean>;
  /**
   * Removes all rows except the mark, in bounded requests. False if `isOver` returned true before all
   * were removed.
   */
  removeRows(watchlistId: string, isOver: () => boolean): Promise<boolean>;
  /** Removes the mark: the purge is complete. */
  end(watchlistId: string): Promise<void>;
}
