/**
 * Counts how many of the times are within one second, for every possible start of this second. All
 * times are in milliseconds.
 * @param range.from Only seconds that start at this time or later count for `least`.
 * @param range.until Only seconds that end by this time count for `least`.
 * @returns The smallest count in `least` and the largest in `most`. `least` is Infinity if no
 * second lies between `from` and `until`.
 */
export function slidingSeconds(
  times: readonly number[],
  { from, until }: { readonly from: number; readonly until: number },
): { readonly least: number; readonly most: number } {
  const sorted = times.toSorted((a, b) => a - b);
  let [least, most] = [Infinity, 0];
  const starts = [from, ...sorted.map((time) => time + 0.001), ...sorted];
  for (const start of starts) {
    const count = firstFrom(sorted, start + 1_000) - firstFrom(sorted, start);
    most = Math.max(most, count);
    if (start >= from && start + 1_000 <= until) least = Math.min(least, count);
  }
  return { least, most };
}

/**
 * Returns the index of the first time at or after `start`, or the length of the list if none is.
 */
function firstFrom(sorted: readonly number[], start: number): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < start) low = middle + 1;
    else high = middle;
  }
  return low;
}
