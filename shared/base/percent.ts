/**
 * Returns the difference of two numbers in percent of the size of the first one; null if the first
 * one is 0. The result has the sign of the difference, even if the first number is negative.
 */
export const percentChange = (before: number, after: number): number | null =>
  before === 0 ? null : ((after - before) / Math.abs(before)) * 100;
