/** The numbers in the routes. The SQL of the comparisons uses the same numbers. */
export const settings = {
  percent: 5,
  dropPercent: 10,
  confirm: 3,
  cooldownDays: 7,
  below: 2,
  stableReads: 10,
  sampleDays: 30,
} as const;
