/**
 * What is left of lists that do not exist: those that were deleted, and those whose creation was
 * never completed. Each has a mark, which stays until everything else of the list is gone; a list
 * that exists has none.
 */
export interface PurgeStore {
  /**
   * Marks a list that is about to be created: unless it is, it is purged from `purgeAt` on. False
   * when its purge has begun, and when the list is there: somebody else has finished it meanwhile.
   */
  expectCreation(
    list: { readonly accountId: string; readonly id: string },
    purgeAt: Date,
  ): Promise<boolean>;
  /** Lists whose purge was due by a time, longest due first. */
  due(by: Date, limit: number): Promise<readonly string[]>;
  /**
   * Begins the purge of a list, or takes it up again; from here on the list cannot be created. Its
   * mark is due again at `nextLook`. False when there is nothing to purge, or not yet; `abandoned`
   * says that whoever was creating the list has given up.
   */
  begin(
    watchlistId: string,
    look: { readonly now: Date; readonly nextLook: Date; readonly abandoned: boolean },
  ): Promise<boolean>;
  /** True while a run of the list has not ended, which still needs its rows. */
  isRunning(watchlistId: string): Promise<boolean>;
  /**
   * Removes runs, steps, batches and whatever else is left but the mark, in bounded requests; false
   * when `isOver` said so before it was done.
   */
  removeRows(watchlistId: string, isOver: () => boolean): Promise<boolean>;
  /** Removes the mark: the purge is complete. */
  end(watchlistId: string): Promise<void>;
}
