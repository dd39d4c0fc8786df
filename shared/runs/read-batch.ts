import { afterChange } from "../base/after-change.ts";
import { assert } from "../base/assert.ts";
import { limits } from "../base/limits.ts";
import { stepOf } from "../pipelines/definition.ts";
import type { Item } from "../watchlists/item.ts";
import type { StoredPage } from "../watchlists/page.ts";
import type { HistoryStore } from "../history/history-store.ts";
import type { PageStore } from "../watchlists/page-store.ts";
import { completeStep, type CompleteDependencies } from "./complete-step.ts";
import { batchDetails } from "./batch-details.ts";
import { missingTraces } from "./missing-traces.ts";
import { batchResult } from "./outcome.ts";
import { mayBeHeld } from "./hold.ts";
import { batchMetrics } from "./run-metrics.ts";
import { batchShape } from "./source-shape.ts";
import type { StepReader } from "./read-step.ts";
import {
  type BatchRef,
  type BatchResult,
  type CarriedOutcomes,
  noCounts,
  type PlannedBatch,
} from "./batch.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import { progressIntervalMs, type Run } from "./run.ts";
import { areAllBatchesDone, type StepRecord } from "./step.ts";
import type { OpenedBatch, StepStore } from "./step-store.ts";
import { storeOutcomes, withOutcomes } from "./store-outcomes.ts";

export interface ReadBatchDependencies extends CompleteDependencies {
  readonly pages: PageStore;
  readonly read: StepReader;
  readonly history: Pick<HistoryStore, "item" | "mergedWindows">;
}

/** Times of the call that reads a batch. */
export interface BatchTimes {
  /** Time at which reading must end. */
  readonly deadline: Date;
  /** Time at which the message was sent to the queue. */
  readonly sentAt: Date;
}

/**
 * Reads one batch of a step, records the result of the batch, and stores the outcomes in the items.
 * The call that stores the last open batch of the step also completes the step. Idempotent: a
 * repeated call stores the recorded result again and does not read the source. Does nothing if
 * another plan of the step was stored first, or if the run has ended or was abandoned. If the run
 * is in phase `finishing`, only sends the run to the finisher again.
 * @param deadline time at which reads must end
 * @param sentAt time at which the message of the batch was sent
 */
export async function readBatch(
  ref: BatchRef,
  { deadline, sentAt }: BatchTimes,
  dependencies: ReadBatchDependencies,
): Promise<void> {
  const { run, step, ...batch } = await dependencies.steps.open(ref);
  // Another process has stored its plan first. The plan of this message has other batches, so the
  // message is ignored.
  if (step === undefined || step.plan !== ref.plan) return;
  // The process that completed the last step may have died before it sent the run to the finisher.
  // Without a repeated message to the finisher, the run would wait for the sweeper.
  if (run?.phase === "finishing") return dependencies.queue.sendFinish(run);
  // A run with an error was abandoned. The process that abandoned it settles its steps and sends
  // the message to the finisher.
  if (run?.phase !== "reading" || run.error !== null) return;
  const isStored = step.stats !== null || step.done.has(ref.batch);
  const after = isStored
    ? step
    : await readAndStore({ ref, run, step, ...batch }, deadline, dependencies);
  if (after !== undefined && areAllBatchesDone(after))
    await completeStep(run, { step: after, batchesSentAt: sentAt }, dependencies);
}

interface Batch {
  readonly ref: BatchRef;
  readonly run: Run;
  readonly step: StepRecord;
  readonly planned: PlannedBatch;
}

/**
 * Reads and stores a batch. Returns the updated step; undefined if the watchlist and its runs were
 * deleted.
 */
async function readAndStore(
  { planned, result: recorded, ...found }: OpenedBatch & Pick<Batch, "ref" | "run" | "step">,
  deadline: Date,
  dependencies: ReadBatchDependencies,
): Promise<StepRecord | undefined> {
  const { runs, steps, clock } = dependencies;
  if (planned === undefined) return undefined;
  const batch: Batch = { ...found, planned };
  const { ref, run, step } = batch;
  const { result, pagesRead } =
    recorded === undefined
      ? await readItems(batch, deadline, dependencies)
      : { result: recorded, pagesRead: [] };
  await storeOutcomes(
    run,
    { carried: outcomesToStore(step, planned, result), pagesRead },
    dependencies,
  );
  const after = await steps.markDone(ref);
  const progressAt = new Date(run.progressAt).getTime();
  if (clock.now().getTime() - progressAt >= progressIntervalMs) await runs.recordProgress(ref);
  return after;
}

interface ReadItems {
  /** Items by ID, with the outcomes of earlier steps applied. Removed items are left out. */
  readonly items: ReadonlyMap<string, Item>;
  readonly pagesRead: readonly StoredPage[];
}

/**
 * Reads the items of a batch from the source, and records the result of the batch. If the step is
 * deferred, does not read the source, and records a result in which all items are `deferred`.
 */
async function readItems(
  { ref, run, step, planned }: Batch,
  deadline: Date,
  dependencies: ReadBatchDependencies,
): Promise<ResultWithPages> {
  const { steps, pages, read, clock, report } = dependencies;
  const { items, pagesRead } = await itemsOf(run, planned, pages);
  if (step.decision === "defer") {
    const unread = unreadResult(items.values(), "deferred", clock.now());
    return recordBatch({ ref, run, planned }, { result: unread, pagesRead }, steps);
  }
  const startedAt = clock.now().getTime();
  const latest = startedAt + limits.stepDeadlineSeconds * 1_000;
  const readUntil = new Date(Math.min(deadline.getTime(), latest));
  const definition = stepOf(run.pipeline, step.step);
  assert(run.watchlist !== null, "a run in phase 'reading' must have its watchlist");
  const { ids } = planned;
  const answers = await read({
    step: definition,
    marketplace: run.watchlist.marketplace,
    // Items that were removed after the planning are not read.
    items: ids.flatMap((id) => items.get(id) ?? []),
    deadline: readUntil,
  });
  const detailsOf = await batchDetails({ run, step: definition, items, answers }, pages);
  const now = clock.now();
  const at = now.toISOString();
  const { pipeline } = run;
  const isOver = (): boolean => clock.now() >= readUntil;
  const traces = await missingTraces(
    run,
    { step: definition, items, answers, isOver },
    dependencies,
  );
  const foundResult = batchResult(
    { pipeline, step: definition },
    { items, planned: ids.length, at, traces, detailsOf },
    answers,
  );
  const milliseconds = now.getTime() - startedAt;
  report?.(batchMetrics(step, { counts: foundResult.counts, milliseconds }));
  const shape = batchShape(definition, { items, answers });
  const result = shape === undefined ? foundResult : { ...foundResult, shape };
  return recordBatch({ ref, run, planned }, { result, pagesRead }, steps);
}

interface ResultWithPages {
  readonly result: BatchResult;
  /**
   * The pages from which the result was derived, so that they can be written without another read.
   */
  readonly pagesRead: readonly StoredPage[];
}

/**
 * Records the result of a batch, unless a result is already recorded, and returns the recorded
 * result. If another process recorded a result first, the returned `pagesRead` is empty, because
 * that result was derived from other pages. If the run may be held, also records the items as they
 * are in `pagesRead`, so that a discard can restore the items. Omits the items for which this batch
 * stores outcomes of earlier steps, because the batches of those steps have already recorded these
 * items.
 */
export async function recordBatch(
  { ref, run, planned }: Pick<Batch, "ref" | "run" | "planned">,
  { result, pagesRead }: ResultWithPages,
  steps: StepStore,
): Promise<ResultWithPages> {
  const before = mayBeHeld(run) ? itemsToRecord(planned, result, pagesRead) : undefined;
  const recorded = await steps.recordResult(ref, result, before);
  return recorded.isFirst ? { result, pagesRead } : { result: recorded.first, pagesRead: [] };
}

/** Selects the items to record as they were before the batch (see `recordBatch`). */
function itemsToRecord(
  { carried }: PlannedBatch,
  { outcomes }: BatchResult,
  pagesRead: readonly StoredPage[],
): Item[] {
  const recorded = new Set(carried.flatMap((earlier) => earlier.outcomes.map(({ id }) => id)));
  const ids = new Set(outcomes.map(({ id }) => id).filter((id) => !recorded.has(id)));
  return pagesRead.flatMap((page) => page.select((id) => ids.has(id)));
}

/**
 * Reads the stored items of a batch, and applies the outcomes that earlier steps left for this
 * batch to store. Leaves out items that were removed from the watchlist. Also returns the pages
 * that were read.
 */
export async function itemsOf(
  run: Run,
  { ids, carried }: PlannedBatch,
  pages: PageStore,
): Promise<ReadItems> {
  const wanted = new Set(ids);
  const asKnown = withOutcomes(run, carried);
  const items = new Map<string, Item>();
  const pagesRead: StoredPage[] = [];
  const range = { from: ids[0] ?? "", to: ids.at(-1) ?? "" };
  for await (const page of pages.pages(run.watchlistId, range)) {
    pagesRead.push(page);
    for (const item of page.select((id) => wanted.has(id))) {
      items.set(item.id, afterChange(item, asKnown(item)));
    }
  }
  return { items, pagesRead };
}

/** Returns true if the outcome routes its item to a later step of the run. */
const isRoutedOn = ({ next }: ItemOutcome): boolean => next !== undefined;

/**
 * Returns the outcomes that a batch stores in its items, in step order: the outcomes that earlier
 * steps left for this batch to store, and the batch's own outcomes. If the batch routes an item to
 * another step, that step stores the outcome, so the result leaves it out. Exception: if the batch
 * stores an earlier outcome of the item, the batch also stores its own outcome of this item.
 */
export function outcomesToStore(
  { step }: StepRecord,
  { carried }: PlannedBatch,
  { outcomes }: BatchResult,
): readonly CarriedOutcomes[] {
  const storedHere = new Set(carried.flatMap((earlier) => earlier.outcomes.map(({ id }) => id)));
  const own = outcomes.filter((outcome) => !isRoutedOn(outcome) || storedHere.has(outcome.id));
  return [...carried, { step, outcomes: own }];
}

/**
 * Returns the result of a batch that was not read: every item has an outcome with this status and
 * the time `now`. The outcome gives the item an owed retry of the step. Nothing is charged.
 */
export function unreadResult(
  items: Iterable<Item>,
  status: "deferred" | "unavailable",
  now: Date,
): BatchResult {
  const at = now.toISOString();
  const outcomes = Array.from(items, ({ id, addedAt }) => ({ id, addedAt, status, at }));
  const unavailable = status === "unavailable" ? outcomes.length : 0;
  return { counts: { ...noCounts, requested: unavailable, unavailable }, outcomes };
}
