import { pointOf } from "../history/point-lines.ts";
import { readingKind, stepOf } from "../pipelines/definition.ts";
import type { ReadingKind } from "../scrapers/catalog.ts";
import type { BatchShape, EffectiveResult } from "./batch.ts";
import { addComparedItems, type ComparedItems, noComparedItems } from "./compared-items.ts";
import { addOutcomes, newCounts, type OutcomeCounts } from "./run-outcomes.ts";
import type { RunResults } from "./run-results.ts";
import type { Run } from "./run.ts";
import { addShapes, factorOf } from "./source-shape.ts";
import { isDeferredUnread, type StepRecord } from "./step.ts";
import type { StepStore } from "./step-store.ts";

/**
 * What the end of a run derives from the results of all its batches. Its size grows with the number
 * of items, not with the number of steps. `items`, `shapes` and `factors` stay empty for a baseline
 * run, which has no earlier readings with which to compare.
 */
export interface RunTotals {
  readonly counts: OutcomeCounts;
  readonly items: ComparedItems;
  /** For each kind of reading, the sum of the shapes of its batches. */
  readonly shapes: Map<ReadingKind, BatchShape>;
  /** By item ID: the factor of the first change of the selling price. Other items are absent. */
  readonly factors: Map<string, number>;
  /** Number of history points of the run. */
  points: number;
  /** True if every batch recorded the earlier state of its items, which a discard can restore. */
  isRestorable: boolean;
}

/** Returns the totals of a run before its first result. `addResult` adds results to them. */
export const newTotals = (): RunTotals => ({
  counts: newCounts(),
  items: noComparedItems(),
  shapes: new Map(),
  factors: new Map(),
  points: 0,
  isRestorable: true,
});

/**
 * Adds the result of a batch to `totals`. Call it for all batches of a step before the batches of
 * the next step.
 */
export function addResult(
  totals: RunTotals,
  { kind, pipeline }: Pick<Run, "kind" | "pipeline">,
  {
    step,
    outcomes,
    points,
    shape,
    isRestorable,
  }: Omit<EffectiveResult, "counts"> & { readonly step: StepRecord },
): void {
  addOutcomes(totals.counts, outcomes);
  totals.isRestorable &&= isRestorable;
  totals.points += points.length;
  // A baseline run has no earlier readings with which to compare.
  if (kind === "baseline") return;
  const parsed = points.map(pointOf);
  addComparedItems(totals.items, outcomes, parsed);
  for (const { id, values } of parsed) {
    const factor = factorOf(values);
    if (factor !== undefined && !totals.factors.has(id)) totals.factors.set(id, factor);
  }
  if (shape === undefined) return;
  const reading = readingKind(stepOf(pipeline, step.step));
  const before = totals.shapes.get(reading);
  totals.shapes.set(reading, before === undefined ? shape : addShapes(before, shape));
}

/** Reads the results of a run once, and returns their totals. */
export async function totalsOf(
  run: Run,
  results: RunResults,
  steps: Pick<StepStore, "starts">,
): Promise<RunTotals> {
  const totals = newTotals();
  for (const step of results.steps) {
    for await (const result of results.of(step)) addResult(totals, run, { ...result, step });
    if (!isDeferredUnread(step)) continue;
    for (const id of (await steps.starts(run, step.step)).flat()) {
      totals.counts.deferred.add(id);
      totals.items.unanswered.add(id);
    }
  }
  return totals;
}
