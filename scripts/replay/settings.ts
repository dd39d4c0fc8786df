/**
 * The numbers in the routes of the replay, and the limits of the default brake. The SQL of the
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
   * On some days, one of this many items has a wrong price. These changes are too few for the limit
   * of the brake. The brake can therefore hold the run only because of the shape of the answers.
   */
  wrongEvery: 5,
  /**
   * The minimum number of items with an earlier price on a day with some wrong prices. With fewer
   * items, the brake ignores the shape of the answers.
   */
  partlyWrongItemsMin: 200,
  /**
   * The maximum percentage of items whose recorded price changes on a day with some wrong prices,
   * among the items with an earlier price. If more recorded prices change, the wrong prices do not
   * all differ from the earlier prices by the same factor.
   */
  partlyWrongChangedPercentMax: 5,
} as const;
