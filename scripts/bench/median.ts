/**
 * Returns the median; the upper of the two middle values for an even number of values, and 0 for
 * none.
 */
export const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
