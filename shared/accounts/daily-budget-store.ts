/** Stores the daily credit budget of an account. */
export interface DailyBudgetStore {
  /**
   * Sets the daily budget of an account; null removes the budget. Credits that were spent on the
   * UTC day of `now`, and credits that are held now, count towards the new budget.
   * @throws Error if the account does not exist; 503 UNAVAILABLE if its rows stay contended
   */
  set(
    accountId: string,
    change: { readonly budget: number | null; readonly now: Date },
  ): Promise<void>;
  /**
   * Returns the credits that count towards an account's budget on the UTC day of `now`: charges and
   * open holds.
   */
  used(accountId: string, now: Date): Promise<number>;
  /**
   * Returns the credits that count towards the budgets of watchlists on the UTC day of `now`, by
   * watchlist ID. Omits watchlists that have used no credits.
   */
  usedByWatchlists(
    accountId: string,
    watchlistIds: readonly string[],
    now: Date,
  ): Promise<ReadonlyMap<string, number>>;
}
