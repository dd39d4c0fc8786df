import { chunksOf } from "../../base/chunks-of.ts";
import { inParallel } from "../../base/in-parallel.ts";
import { type BatchSize, batchSize } from "./batch-size.ts";

/** The result of reading a batch. */
export type BatchOutcome<Result> =
  | { readonly kind: "read"; readonly results: readonly Result[] }
  /**
   * The source refused the batch because of one of the items. The source may accept a half of the
   * batch.
   */
  | { readonly kind: "refused" }
  /** The source refused the batch because it is too large. */
  | { readonly kind: "too_many" }
  /**
   * The call failed after retries, possibly because of one item. A half of the batch may succeed.
   */
  | { readonly kind: "failed" }
  /** The batch was not read, and a half of it would get the same result. */
  | { readonly kind: "none" };

type Failure = Exclude<BatchOutcome<unknown>["kind"], "read">;

const busyStatuses: ReadonlySet<number> = new Set([408, 425, 429, 503]);

/**
 * Returns true for an HTTP status that means that the whole source is busy, so that a smaller batch
 * would not help.
 */
export const isBusyStatus = (status: number): boolean => busyStatuses.has(status);

/**
 * Returns the kind of failure of a batch, from the HTTP status of the source's response, which is
 * not 200.
 */
export function batchFailureOf(status: number): Failure {
  if (status === 400) return "refused";
  if (status === 413) return "too_many";
  return status >= 500 && !isBusyStatus(status) ? "failed" : "none";
}

/** How to read items in batches. */
export interface BatchReading<Item, Result> {
  /** The batch size: fixed, or shared by several reads. */
  readonly batchMax: number | BatchSize;
  /** The maximum number of concurrent batches. */
  readonly atOnce: number;
  /** Reads the items in one call. Returns one result for each item, in the order of the items. */
  readonly read: (items: readonly Item[]) => Promise<BatchOutcome<Result>>;
  /** Returns the result of an item that could not be read. */
  readonly unread: (item: Item) => Result;
}

/**
 * After this many refused single items, the refused parts of a batch are not split any further.
 * Searching for all refused items could cost more calls than the batch has items.
 */
const refusedAloneMax = 10;

/**
 * Reads items in batches of at most `batchMax`, with at most `atOnce` calls at a time. Returns one
 * result for each item, in the order of the items. If the source refuses a batch or its call fails,
 * reads the batch again in halves, down to single items, as often as `splitBudget` allows. An item
 * that the source still did not read gets the result of `unread`.
 *
 * Until the source accepts a batch, only one refused batch is split. The other refused batches wait
 * for the result of this split. If the source refuses ten single items of the split batch, it
 * probably accepts nothing, so the waiting batches are not split.
 * @throws any error of `read`
 */
export async function readInBatches<Item, Result>(
  items: readonly Item[],
  { batchMax, atOnce, ...calls }: BatchReading<Item, Result>,
): Promise<Result[]> {
  const size = typeof batchMax === "number" ? batchSize(batchMax) : batchMax;
  const trial = sourceTrial();
  const results = await inParallel(chunksOf(items, size.max()), atOnce, (batch) =>
    readBatch(batch, { ...calls, size, trial }),
  );
  return results.flat();
}

interface Source<Item, Result> extends Pick<BatchReading<Item, Result>, "read" | "unread"> {
  readonly size: BatchSize;
  readonly trial: SourceTrial;
}

/**
 * Reads one batch, and the halves of its refused parts. Returns one result for each item, in order.
 */
async function readBatch<Item, Result>(
  batch: readonly Item[],
  { read, unread, size, trial }: Source<Item, Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const budget = splitBudget(batch.length);
  let role: TrialRole | undefined;
  // The parts are read one after the other. A part therefore uses the batch size to which an
  // earlier part reduced `size`.
  const parts = [batch];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    // An earlier part or a concurrent batch has shown that this size is too large.
    if (part.length > size.max()) {
      parts.unshift(...chunksOf(part, size.max()));
      continue;
    }
    const outcome = await read(part);
    if (outcome.kind === "read") {
      trial.end({ takesSomething: true });
      results.push(...outcome.results);
      continue;
    }
    if (outcome.kind === "too_many") size.tooMany(part.length);
    budget.count(outcome.kind, part.length);
    let isSplit = budget.allowsSplit(outcome.kind, part.length);
    if (isSplit && outcome.kind === "refused") {
      role ??= trial.claim();
      isSplit = role.role === "tester" || (await role.takesSomething);
    }
    if (isSplit) parts.unshift(...chunksOf(part, Math.ceil(part.length / 2)));
    else results.push(...part.map(unread));
  }
  if (role?.role === "tester") trial.end({ takesSomething: !budget.isExhausted() });
  return results;
}

/** Limits the number of calls for the search for refused items in one batch. */
interface SplitBudget {
  /** Records that a call for a part of the batch, with this number of items, failed. */
  count(kind: Failure, items: number): void;
  /** Returns true if a part of the batch with this number of items may be split in halves. */
  allowsSplit(kind: Failure, items: number): boolean;
  /** Returns true if so many single items were refused that no part is split any further. */
  isExhausted(): boolean;
}

/**
 * Creates the split budget of one batch. After ten refused single items, the remaining parts are
 * read without further splits. A failed call is retried, so it costs the source more than a
 * refusal. Failures therefore allow only as many splits as the search for one item needs.
 */
function splitBudget(batchItems: number): SplitBudget {
  const failuresMax = Math.ceil(Math.log2(batchItems));
  let failures = 0;
  let refusedAlone = 0;
  const isExhausted = (): boolean => refusedAlone >= refusedAloneMax;
  return {
    count(kind, items) {
      if (kind === "failed" && items > 1) failures += 1;
      if (kind === "refused" && items === 1) refusedAlone += 1;
      // A source that rejects a single item as too large rejects every batch.
      if (kind === "too_many" && items === 1) refusedAlone = refusedAloneMax;
    },
    allowsSplit(kind, items) {
      if (items === 1 || kind === "none") return false;
      return kind === "failed" ? failures <= failuresMax : !isExhausted();
    },
    isExhausted,
  };
}

/**
 * Tests whether a source that refuses batches accepts any item at all. The test splits one batch,
 * and is made at most once in each read.
 */
interface SourceTrial {
  /** Returns the role of a refused batch. The first batch that calls this becomes the tester. */
  claim(): TrialRole;
  /**
   * Sets the result of the test: whether the source accepts any item. Later calls have no effect.
   */
  end(result: { readonly takesSomething: boolean }): void;
}

type TrialRole =
  /** The batch is always split, and ends the test after its last part. */
  | { readonly role: "tester" }
  /** The batch waits for the result of the test. It is split if the source accepts any item. */
  | { readonly role: "waits"; readonly takesSomething: Promise<boolean> };

/** Creates the test of one read, in which no batch is the tester yet. */
function sourceTrial(): SourceTrial {
  const { promise: takesSomething, resolve } = Promise.withResolvers<boolean>();
  let hasTester = false;
  return {
    claim() {
      if (hasTester) return { role: "waits", takesSomething };
      hasTester = true;
      return { role: "tester" };
    },
    end: (result) => resolve(result.takesSomething),
  };
}
