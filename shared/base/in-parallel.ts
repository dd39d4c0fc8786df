/**
 * Calls `work` for every item, with at most `atOnceMax` calls in progress. Returns the results in
 * the order of the items.
 * @throws the first error of `work`, immediately. The calls in progress continue, and `work` is
 * still called for the remaining items until `atOnceMax` calls have failed.
 */
export async function inParallel<Item, Result>(
  items: readonly Item[],
  atOnceMax: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const waiting = items.entries();
  // All workers share one iterator, so each item is processed once.
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: Math.min(atOnceMax, items.length) }, worker));
  return results;
}
