/**
 * Calls `work` for every item, at most `atOnceMax` calls in parallel. Returns the results in item
 * order.
 * @throws the first error of `work`. The other parallel calls continue, and take further items.
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
