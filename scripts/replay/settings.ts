/**
 * The numbers in the routes, and of the brake that a watchlist has by default. The SQL of the
 * comparisons uses the same numbers.
 */
export const settings = {
  percent: 5,
  dropPercent: 10,
  confirm: 3,
  cooldownDays: 7,
  below: 2,
  stableReads: 10,
  sampleDays: 30,
  brake: { maxChangedPercent: 95, minItems: 50 },
  wrongTimes: 100,
  /**
   * The inverse share of items with a wrong price on some days: one of this many. These are too few
   * changes for the limit of the brake, so only the changed shape of the answers can make the brake
   * hold the run.
   */
  wrongEvery: 5,
  /** Minimum number of items with an earlier price on such a day. */
  partlyWrongItemsMin: 200,
} as const;
