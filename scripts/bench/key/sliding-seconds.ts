/**
 * Counts the `times` within one second, for every possible start of the second. Returns the
 * smallest and the largest count. `least` considers only seconds that lie between `from` and
 * `until`; it is Infinity if there are none. All times are in milliseconds.
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
