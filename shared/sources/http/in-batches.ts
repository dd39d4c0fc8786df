import { inParallel } from "./in-parallel.ts";

/** What came of reading a batch as a whole. */
export type BatchOutcome<Result> =
  | { readonly kind: "read"; readonly results: readonly Result[] }
  /** Refused because of something in it: a half of it may well be taken. */
  | { readonly kind: "refused" }
  /** Failed for a reason that may lie in it, even after retries: a half of it may work. */
  | { readonly kind: "failed" }
  /** Nothing will be different for a half of it. */
  | { readonly kind: "none" };

export interface BatchReading<Item, Result> {
  /** Items that the source takes in one call. */
  readonly batchMax: number;
  /** Batches in work at one time. */
  readonly atOnce: number;
  /** One call for the items; one result for each of them, in their order. */
  readonly read: (items: readonly Item[]) => Promise<BatchOutcome<Result>>;
  /** The result of an item that could not be read. */
  readonly unread: (item: Item) => Result;
}

/** So many items of one batch may be to blame before the rest of it is given up. */
const refusedItemsMax = 3;
/** A failure costs the source far more than a refusal, retries included. */
const failingItemsMax = 1;

/**
 * Reads items in batches, their results standing in the items' order. A batch that is refused or
 * fails as a whole is cut in two, down to the single items at fault; to come down to one takes as
 * many cuts as the batch can be halved, and that bounds the calls.
 */
export async function readInBatches<Item, Result>(
  items: readonly Item[],
  reading: BatchReading<Item, Result>,
): Promise<Result[]> {
  const { batchMax, atOnce } = reading;
  const batches = Array.from({ length: Math.ceil(items.length / batchMax) }, (_, n) =>
    items.slice(n * batchMax, (n + 1) * batchMax),
  );
  const results = await inParallel(batches, atOnce, (batch) =>
    readBatch(batch, reading, splitsFor(batch.length)),
  );
  return results.flat();
}

type SplitsLeft = Record<"refused" | "failed", number>;

function splitsFor(count: number): SplitsLeft {
  const halvings = Math.ceil(Math.log2(count));
  return { refused: halvings * refusedItemsMax, failed: halvings * failingItemsMax };
}

async function readBatch<Item, Result>(
  items: readonly Item[],
  reading: BatchReading<Item, Result>,
  splitsLeft: SplitsLeft,
): Promise<Result[]> {
  const outcome = await reading.read(items);
  if (outcome.kind === "read") return [...outcome.results];
  if (outcome.kind === "none" || items.length === 1 || splitsLeft[outcome.kind] === 0) {
    return items.map(reading.unread);
  }
  splitsLeft[outcome.kind] -= 1;
  const middle = Math.ceil(items.length / 2);
  const first = await readBatch(items.slice(0, middle), reading, splitsLeft);
  return [...first, ...(await readBatch(items.slice(middle), reading, splitsLeft))];
}
