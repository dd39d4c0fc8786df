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
 * Reads items in batches; the results are in the items' order. A batch that is refused or fails as a
 * whole is cut in two, down to the single items at fault, as far as its `cutBudget` allows.
 *
 * Where the first batches are refused, one of them finds out for all whether the source takes
 * anything: when ten of its items were refused alone, and nothing was read meanwhile, it does not.
 */
export async function readInBatches<Item, Result>(
  items: readonly Item[],
  { batchMax, atOnce, ...calls }: BatchReading<Item, Result>,
): Promise<Result[]> {
  const size = typeof batchMax === "number" ? batchSize(batchMax) : batchMax;
  const trial = sourceTrial();
  const results = await inParallel(partsOf(items, size.max()), atOnce, (batch) =>
    readBatch(batch, { ...calls, size, trial }),
  );
  return results.flat();
}

interface Source<Item, Result> extends Pick<BatchReading<Item, Result>, "read" | "unread"> {
  readonly size: BatchSize;
  readonly trial: SourceTrial;
}

async function readBatch<Item, Result>(
  batch: readonly Item[],
  { read, unread, size, trial }: Source<Item, Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const budget = cutBudget(batch.length);
  const tester = trial.tester();
  // One part after the other: what is learned of one holds for the next.
  const parts = [batch];
  for (let part = parts.shift(); part !== undefined; part = parts.shift()) {
    // What another part was too large for, this one need not try.
    if (part.length > size.max()) {
      parts.unshift(...partsOf(part, size.max()));
      continue;
    }
    const outcome = await read(part);
    if (outcome.kind === "read") {
      trial.end(true);
      results.push(...outcome.results);
      continue;
    }
    if (outcome.kind === "too_many") size.tooMany(part.length);
    budget.count(outcome.kind, part.length);
    const isCut =
      budget.allowsCut(outcome.kind, part.length) &&
      (outcome.kind !== "refused" || (await tester.isCutWorthIt()));
    if (isCut) parts.unshift(...partsOf(part, Math.ceil(part.length / 2)));
    else results.push(...part.map(unread));
  }
  tester.end(!budget.hasFoundTooMany());
  return results;
}

type Failure = Exclude<BatchOutcome<unknown>["kind"], "read">;

/** What finding the items at fault in one batch may cost. */
interface CutBudget {
  /** Counts that a part of so many items failed. */
  count(kind: Failure, items: number): void;
  /** True when halves of a part of so many items may be tried. */
  allowsCut(kind: Failure, items: number): boolean;
  /** True when so many single items were refused that the rest is read only as it was cut. */
  hasFoundTooMany(): boolean;
}

/**
 * After ten items of a batch were refused alone, the rest of it is asked in the parts that it was cut to.
 * A failure costs the source far more than a refusal, retries included: for failures a batch is cut as
 * often as it takes to come down to one item.
 */
function cutBudget(batchItems: number): CutBudget {
  const failuresMax = Math.ceil(Math.log2(batchItems));
  let failures = 0;
  let refusedAlone = 0;
  const hasFoundTooMany = (): boolean => refusedAlone >= refusedAloneMax;
  return {
    count(kind, items) {
      if (kind === "failed" && items > 1) failures += 1;
      if (kind === "refused" && items === 1) refusedAlone += 1;
      // A source to which one item is too many answers nothing, however a batch is cut.
      if (kind === "too_many" && items === 1) refusedAlone = refusedAloneMax;
    },
    allowsCut(kind, items) {
      if (items === 1 || kind === "none") return false;
      return kind === "failed" ? failures <= failuresMax : !hasFoundTooMany();
    },
    hasFoundTooMany,
  };
}

/** Finds out once in a read whether a source that refuses batches takes anything at all. */
interface SourceTrial {
  /** For one batch. */
  tester(): BatchTester;
  /** Only the first verdict counts. */
  end(takesSomething: boolean): void;
}

interface BatchTester {
  /** True for the first batch that asks: it finds out. The others wait for its verdict. */
  isCutWorthIt(): Promise<boolean>;
  /** The verdict of the batch that was the first to ask; that of any other says nothing. */
  end(takesSomething: boolean): void;
}

function sourceTrial(): SourceTrial {
  const { promise: verdict, resolve } = Promise.withResolvers<boolean>();
  let first: BatchTester | undefined;
  return {
    end: resolve,
    tester() {
      const tester: BatchTester = {
        async isCutWorthIt() {
          first ??= tester;
          return first === tester || verdict;
        },
        end(takesSomething) {
          if (first === tester) resolve(takesSomething);
        },
      };
      return tester;
    },
  };
}

const partsOf = <Item>(items: readonly Item[], size: number): (readonly Item[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, n) =>
    items.slice(n * size, (n + 1) * size),
  );
