/**
 * Returns the median of the values. For an even number of values, returns the upper of the two
 * middle values. For no values, returns 0.
 */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
