/**
 * Deletes the rows of watchlists that do not exist: they were deleted, or their creation was not
 * completed. A purge mark is a row with the time at which the purge of a watchlist is due. The
 * purge deletes this mark last. A watchlist that exists has no mark.
 */
export interface PurgeStore {
  /**
   * Marks a watchlist before its creation. If the creation is not completed by `purgeAt`, the
   * watchlist is purged. Returns false if the purge has begun, or if another request has completed
   * the creation.
   */
  expectCreation(
    watchlist: { readonly accountId: string; readonly id: string },
    purgeAt: Date,
  ): Promise<boolean>;
  /**
   * Lists the IDs of at most `limit` watchlists whose purge is due at or before `by`, the longest
   * due first.
   */
  due(by: Date, limit: number): Promise<readonly string[]>;
  /**
   * Starts or resumes the purge of a watchlist, and sets the due time of its mark to `nextCheck`.
   * From then on, no watchlist with this ID can be created. Returns false if there is no mark, or
   * if the purge is not due. Pass `abandoned: true` if the request that was creating the watchlist
   * has failed; the purge is then due immediately.
   */
  begin(
    watchlistId: string,
    check: { readonly now: Date; readonly nextCheck: Date; readonly abandoned: boolean },
  ): Promise<boolean>;
  /**
   * Returns true while a run of the watchlist is in progress. Such a run still needs the
   * watchlist's rows.
   */
  isRunning(watchlistId: string): Promise<boolean>;
  /**
   * Deletes all rows except the mark, in requests of limited size. Returns false if `isOver`
   * returned true before all were deleted.
   */
  removeRows(watchlistId: string, isOver: () => boolean): Promise<boolean>;
  /** Deletes the mark, which completes the purge. */
  end(watchlistId: string): Promise<void>;
}
