import { assert } from "../base/assert.ts";
import { limits } from "../base/limits.ts";
import { stepOf } from "../pipelines/definition.ts";
import type { Item } from "../watchlists/item.ts";
import type { StoredPage } from "../watchlists/page.ts";
import type { PageStore } from "../watchlists/page-store.ts";
import { completeStep, type CompleteDependencies } from "./complete-step.ts";
import { batchResult } from "./outcome.ts";
import { batchFigures } from "./run-figures.ts";
import { readStep, type StepSources } from "./read-step.ts";
import {
  type BatchRef,
  type BatchResult,
  type Carried,
  type ItemOutcome,
  noCounts,
  type PlannedBatch,
  progressGrainMs,
  type Run,
  type StepRecord,
} from "./run.ts";
import type { OpenedBatch, StepStore } from "./step-store.ts";
import { storeOutcomes, withOutcomes } from "./store-outcomes.ts";

export interface ReadBatchDependencies extends CompleteDependencies {
  readonly pages: PageStore;
  readonly sources: StepSources;
}

export interface BatchTimes {
  /** When reading has to end. */
  readonly deadline: Date;
  /** When the batch was sent to the queue. */
  readonly sentAt: Date;
}

/**
 * Reads one batch of a step, records what was found, stores it in the items and, as the last batch,
 * completes the step. The recorded result is the truth: a repeat finds it and only stores it again.
 */
export async function readBatch(
  ref: BatchRef,
  { deadline, sentAt }: BatchTimes,
  dependencies: ReadBatchDependencies,
): Promise<void> {
  const { run, step, ...batch } = await dependencies.steps.open(ref);
  // Batches of a plan that lost are nobody's.
  if (step === undefined || step.plan !== ref.plan) return;
  // Whoever ended the last step may have died before it could say so.
  if (run?.phase === "finishing") return dependencies.queue.sendFinish(run);
  // A run that was given up is ended by whoever gave it up.
  if (run?.phase !== "reading" || run.error !== null) return;
  const isStored = step.stats !== null || step.done.has(ref.batch);
  const after = isStored
    ? step
    : await workOff({ ref, run, step, ...batch }, deadline, dependencies);
  if (after?.done.size === step.batches)
    await completeStep(run, { step: after, batchesSentAt: sentAt }, dependencies);
}

interface Batch {
  readonly ref: BatchRef;
  readonly run: Run;
  readonly step: StepRecord;
  readonly planned: PlannedBatch;
}

/** Undefined when the list was deleted meanwhile, and its runs with it. */
async function workOff(
  { planned, result: recorded, ...found }: OpenedBatch & Pick<Batch, "ref" | "run" | "step">,
  deadline: Date,
  dependencies: ReadBatchDependencies,
): Promise<StepRecord | undefined> {
  const { runs, steps, clock } = dependencies;
  if (planned === undefined) return undefined;
  const batch: Batch = { ...found, planned };
  const { ref, run, step } = batch;
  const { result, read: pages } =
    recorded === undefined
      ? await readItems(batch, deadline, dependencies)
      : { result: recorded, read: [] };
  await storeOutcomes(
    run,
    { found: outcomesToStore(step, planned, result), read: pages },
    dependencies,
  );
  const after = await steps.markDone(ref);
  const progressAt = new Date(run.progressAt).getTime();
  if (clock.now().getTime() - progressAt >= progressGrainMs) await runs.noteProgress(ref);
  return after;
}

interface ReadItems {
  /** As the run knows them; those removed meanwhile are absent. */
  readonly items: ReadonlyMap<string, Item>;
  readonly read: readonly StoredPage[];
}

async function readItems(
  { ref, run, step, planned }: Batch,
  deadline: Date,
  { steps, pages, sources, clock, report }: ReadBatchDependencies,
): Promise<WorkedOut> {
  const { items, read: pagesRead } = await itemsOf(run, planned, pages);
  if (step.decision === "defer") {
    const unread = unreadResult(items.values(), "deferred", clock.now());
    return record(ref, { result: unread, read: pagesRead }, steps);
  }
  const startedAt = clock.now().getTime();
  const latest = startedAt + limits.stepDeadlineSeconds * 1_000;
  const definition = stepOf(run.pipeline, step.step);
  assert(run.watchlist !== null, "a run that reads knows its list");
  const { ids } = planned;
  const answers = await readStep(
    {
      step: definition,
      marketplace: run.watchlist.marketplace,
      // What was removed meanwhile is not asked for any more.
      items: ids.flatMap((id) => items.get(id) ?? []),
      deadline: new Date(Math.min(deadline.getTime(), latest)),
    },
    sources,
  );
  const now = clock.now();
  const at = now.toISOString();
  const { pipeline } = run;
  const found = batchResult(
    { pipeline, step: definition },
    { items, planned: ids.length, at },
    answers,
  );
  const milliseconds = now.getTime() - startedAt;
  report?.(batchFigures(step, { counts: found.counts, milliseconds }));
  return record(ref, { result: found, read: pagesRead }, steps);
}

interface WorkedOut {
  readonly result: BatchResult;
  /** The pages that the result was worked out from. */
  readonly read: readonly StoredPage[];
}

/** The result that counts: this one with its pages, or the one that was recorded before. */
export async function record(
  ref: BatchRef,
  { result, read }: WorkedOut,
  steps: StepStore,
): Promise<WorkedOut> {
  const recorded = await steps.recordResult(ref, result);
  return recorded.isFirst ? { result, read } : { result: recorded.first, read: [] };
}

/** The items of a batch as the run knows them by now, and the pages that they stand in. */
export async function itemsOf(
  run: Run,
  { ids, carried }: PlannedBatch,
  pages: PageStore,
): Promise<ReadItems> {
  const wanted = new Set(ids);
  const asKnown = withOutcomes(run, carried);
  const items = new Map<string, Item>();
  const read: StoredPage[] = [];
  const range = { from: ids[0] ?? "", to: ids.at(-1) ?? "" };
  for await (const page of pages.pages(run.watchlistId, range)) {
    read.push(page);
    for (const item of page.items) if (wanted.has(item.id)) items.set(item.id, asKnown(item));
  }
  return { items, read };
}

const goesOn = ({ next }: ItemOutcome): boolean => next !== undefined;

/**
 * What a batch stores in its items: what earlier steps left to it, and its own outcomes. An outcome of an
 * item that goes on is left to the item's next step, unless an earlier outcome of it is stored here.
 */
export function outcomesToStore(
  { step }: StepRecord,
  { carried }: PlannedBatch,
  { outcomes }: BatchResult,
): readonly Carried[] {
  const storedHere = new Set(carried.flatMap((earlier) => earlier.outcomes.map(({ id }) => id)));
  const own = outcomes.filter((outcome) => !goesOn(outcome) || storedHere.has(outcome.id));
  return [...carried, { step, outcomes: own }];
}

/** The result of a batch that was not read: each item owes the step a read. */
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
