/**
 * Returns the change from `before` to `after` in percent of the absolute value of `before`; null if
 * `before` is 0. A rise is positive and a fall is negative, even if `before` is negative.
 */
export const percentChange = (before: number, after: number): number | null =>
  before === 0 ? null : ((after - before) / Math.abs(before)) * 100;
