import { inParallel } from "../../base/in-parallel.ts";
import { type BatchSize, batchSize } from "./batch-size.ts";

/** What came of reading a batch as a whole. */
export type BatchOutcome<Result> =
  | { readonly kind: "read"; readonly results: readonly Result[] }
  /** Refused because of something in it: a half of it may well be taken. */
  | { readonly kind: "refused" }
  /** Refused because of its size. */
  | { readonly kind: "too_many" }
  /** Failed for a reason that may lie in it, even after retries: a half of it may work. */
  | { readonly kind: "failed" }
  /** Nothing will be different for a half of it. */
  | { readonly kind: "none" };

export interface BatchReading<Item, Result> {
  /** Items that the source takes in one call, or what is known of that across reads. */
  readonly batchMax: number | BatchSize;
  /** Batches in work at one time. */
  readonly atOnce: number;
  /** One call for the items; one result for each of them, in their order. */
  readonly read: (items: readonly Item[]) => Promise<BatchOutcome<Result>>;
  /** The result of an item that could not be read. */
  readonly unread: (item: Item) => Result;
}

/** With more of them to be found alone, a batch would cost as many calls as it has items. */
const refusedAloneMax = 10;

/**
 * Reads items in batches, their results standing in the items' order. A batch that is refused or
 * fails as a whole is cut in two, down to the single items at fault. After ten items of one batch
 * were refused alone, the rest of it is asked in the parts that it was cut to, and no more cut. A
 * failure costs the source far more than a refusal, retries included: for failures a batch is cut as
 * often as it takes to come down to one item.
 *
 * Where the first batches are refused, one of them finds out for all whether the source takes
 * anything: when ten of its items were refused alone, and nothing was read meanwhile, it does not.
 */
export async function readInBatches<Item, Result>(
  items: readonly Item[],
  { batchMax, ...rest }: BatchReading<Item, Result>,
): Promise<Result[]> {
  const size = typeof batchMax === "number" ? batchSize(batchMax) : batchMax;
  const batches = partsOf(items, size.max());
  const trial = firstRefusal();
  const results = await inParallel(batches, rest.atOnce, async (batch) => {
    const failureCutsLeft = Math.ceil(Math.log2(batch.length));
    const refusedAloneLeft = refusedAloneMax;
    const cutting = { ...rest, size, failureCutsLeft, refusedAloneLeft, trial, isOnTrial: false };
    const ofBatch = await readBatch(batch, cutting);
    if (cutting.isOnTrial) trial.end(cutting.refusedAloneLeft > 0);
    return ofBatch;
  });
  return results.flat();
}

/** Whether a source that refuses batches takes anything at all, found out once in a read. */
interface Trial {
  /** True for the one batch that is to find out; the others wait for what comes of it. */
  begin(): boolean;
  /** Whether cutting a batch is worth it. */
  readonly verdict: Promise<boolean>;
  /** Only the first verdict counts. */
  end(takesSomething: boolean): void;
}

function firstRefusal(): Trial {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  let hasBegun = false;
  return {
    begin() {
      const isFirst = !hasBegun;
      hasBegun = true;
      return isFirst;
    },
    verdict: promise,
    end: resolve,
  };
}

/** One batch on its way down to its parts. */
interface Cutting<Item, Result> extends Omit<BatchReading<Item, Result>, "batchMax"> {
  readonly size: BatchSize;
  readonly trial: Trial;
  /** Whether this batch finds out for all. */
  isOnTrial: boolean;
  failureCutsLeft: number;
  refusedAloneLeft: number;
}

async function readBatch<Item, Result>(
  items: readonly Item[],
  cutting: Cutting<Item, Result>,
): Promise<Result[]> {
  const { size, read, unread } = cutting;
  // What another part was too large for, this one need not try.
  if (items.length > size.max()) return readParts(partsOf(items, size.max()), cutting);
  const outcome = await read(items);
  if (outcome.kind === "read") cutting.trial.end(true);
  if (outcome.kind === "read") return [...outcome.results];
  if (outcome.kind === "too_many") size.tooMany(items.length);
  const isWorthIt =
    mayCut(outcome.kind, items.length, cutting) &&
    (outcome.kind !== "refused" || (await isTaken(cutting)));
  return isWorthIt
    ? readParts(partsOf(items, Math.ceil(items.length / 2)), cutting)
    : items.map(unread);
}

/** Whether the source takes anything, as far as it takes this batch to know. */
async function isTaken(cutting: Cutting<never, unknown>): Promise<boolean> {
  cutting.isOnTrial ||= cutting.trial.begin();
  return cutting.isOnTrial || cutting.trial.verdict;
}

/** Whether parts of so many items may do better; counts what is spent on finding out. */
function mayCut(
  kind: Exclude<BatchOutcome<unknown>["kind"], "read">,
  count: number,
  cutting: Cutting<never, unknown>,
): boolean {
  if (count === 1 && kind === "refused") cutting.refusedAloneLeft -= 1;
  // A source to which one item is too many is not to be had by cutting.
  if (count === 1 && kind === "too_many") cutting.refusedAloneLeft = 0;
  if (count === 1 || kind === "none") return false;
  if (kind !== "failed") return cutting.refusedAloneLeft > 0;
  cutting.failureCutsLeft -= 1;
  return cutting.failureCutsLeft >= 0;
}

/** One part after the other: what is learned of one holds for the next. */
async function readParts<Item, Result>(
  parts: readonly (readonly Item[])[],
  cutting: Cutting<Item, Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const part of parts) results.push(...(await readBatch(part, cutting)));
  return results;
}

const partsOf = <Item>(items: readonly Item[], size: number): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, (n + 1) * size),
  );
