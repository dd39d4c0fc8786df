import type { PointLine } from "../history/history.ts";
import { isDeferredUnread } from "./step.ts";
import type { BatchShape, EffectiveResult } from "./batch.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import type { Run, RunStats } from "./run.ts";
import type { StepRecord, StepStats } from "./step.ts";
import type { StepStore } from "./step-store.ts";

/** The outcomes of one step that affect events, stats or later routes, in batch order. */
export interface StepOutcomes {
  readonly step: StepRecord;
  readonly outcomes: readonly ItemOutcome[];
  /**
   * IDs of the items that start at the step. Present only if the step was deferred, so that it has
   * no outcomes.
   */
  readonly unread?: readonly string[];
}

/** The parts of a step's recorded results that the end of the run needs. */
export interface StepResults extends StepOutcomes {
  /** The history points of all outcomes, in batch order. */
  readonly points: readonly PointLine[];
  /** The shapes of the answers, by batch. */
  readonly shapes: readonly BatchShape[];
  /**
   * True if every batch has recorded its items as they were before the step, so that a discard can
   * restore them.
   */
  readonly isRestorable: boolean;
}

/** Reads the results of a run's planned steps, in run order. */
export async function stepResultsOf(run: Run, steps: StepStore): Promise<readonly StepResults[]> {
  const stepResults: StepResults[] = [];
  for (const step of await steps.list(run.id)) {
    const results: EffectiveResult[] = [];
    for await (const result of steps.effectiveResults(step)) results.push(result);
    stepResults.push({
      step,
      outcomes: results.flatMap((result) => result.outcomes),
      points: results.flatMap((result) => result.points),
      shapes: results.flatMap(({ shape }) => shape ?? []),
      isRestorable: results.every((result) => result.isRestorable),
      ...(isDeferredUnread(step) && { unread: (await steps.starts(run, step.step)).flat() }),
    });
  }
  return stepResults;
}

/**
 * Derives the stats of a run from the outcomes of its steps. Each of the counts of changed,
 * notified, failed, deferred and delisted items counts an item once, even if several steps report
 * it. `matched` counts once for each item, step and `when`.
 */
export function statsOf(run: Run, stepOutcomes: readonly StepOutcomes[]): RunStats {
  const changed = new Set<string>();
  const notified = new Set<string>();
  const delisted = new Set<string>();
  const failed = new Set<string>();
  const deferred = new Set<string>(stepOutcomes.flatMap(({ unread = [] }) => unread));
  let matched = 0;
  for (const outcome of stepOutcomes.flatMap(({ outcomes }) => outcomes)) {
    const { id, status, matched: matches } = outcome;
    if (outcome.changes !== undefined && outcome.isCounted !== true) changed.add(id);
    if (outcome.reported !== undefined) notified.add(id);
    if (outcome.lastSnapshot !== undefined) delisted.add(id);
    // An item that an earlier step delisted needs no retry, even if a later step could not read it.
    const isFailure = status === "partial" || status === "unavailable";
    if (isFailure && !delisted.has(id)) failed.add(id);
    if (status === "deferred") deferred.add(id);
    matched += matches?.branches.length ?? 0;
  }
  return {
    ...run.stats,
    steps: stepStats(stepOutcomes.map(({ step }) => step)),
    matched,
    deferred: deferred.size,
    changed: changed.size,
    notified: notified.size,
    delisted: delisted.size,
    retryNextRun: failed.size,
    ...unreadEntry(
      run,
      stepOutcomes.map(({ step }) => step),
    ),
  };
}

/**
 * Returns `isEntryUnread: true` for the stats of a run whose entry step was deferred by a credit
 * limit before anything was read; otherwise an empty object.
 */
export const unreadEntry = (
  { stats }: Run,
  steps: readonly StepRecord[],
): Pick<RunStats, "isEntryUnread"> =>
  steps.some((step) => step.step === stats.entry && isDeferredUnread(step))
    ? { isEntryUnread: true }
    : {};

/** Returns the stats of the settled steps, by step ID. Leaves out steps that are not settled. */
export function stepStats(records: readonly StepRecord[]): Record<string, StepStats> {
  return Object.fromEntries(
    records.flatMap(({ step, stats }) => (stats === null ? [] : [[step, stats]])),
  );
}

/** Returns the total credits of all steps in `stats`. */
export const creditsOf = (stats: Readonly<Record<string, StepStats>>): number =>
  Object.values(stats).reduce((sum, { credits }) => sum + credits, 0);
