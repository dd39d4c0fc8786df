import { isDeferredUnread } from "./step.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import type { Run, RunStats } from "./run.ts";
import type { StepRecord, StepStats } from "./step.ts";

/** The outcomes of one step that affect events, stats or later routes, in batch order. */
export interface StepOutcomes {
  readonly step: StepRecord;
  readonly outcomes: readonly ItemOutcome[];
}

/**
 * What the stats of a run are counted from. Each set contains the IDs of the items with one kind of
 * outcome, so that an item counts once. `matched` is a number of matches.
 */
export interface OutcomeCounts {
  readonly changed: Set<string>;
  readonly notified: Set<string>;
  readonly delisted: Set<string>;
  readonly failed: Set<string>;
  readonly deferred: Set<string>;
  matched: number;
}

/** Returns the counts of a run before its first outcome. `addOutcomes` adds outcomes to them. */
export const newCounts = (): OutcomeCounts => ({
  changed: new Set(),
  notified: new Set(),
  delisted: new Set(),
  failed: new Set(),
  deferred: new Set(),
  matched: 0,
});

/**
 * Adds the outcomes of a step to `counts`. Call this function for the steps in run order. Each item
 * counts once, even if several steps report it. Exception: `matched` increases by one for each
 * combination of item, step and matching `when`.
 */
export function addOutcomes(counts: OutcomeCounts, outcomes: readonly ItemOutcome[]): void {
  for (const { id, status, matched, changes, isCounted, reported, lastSnapshot } of outcomes) {
    if (changes !== undefined && isCounted !== true) counts.changed.add(id);
    if (reported !== undefined) counts.notified.add(id);
    if (lastSnapshot !== undefined) counts.delisted.add(id);
    // An item that an earlier step delisted needs no retry, even if a later step could not read it.
    const isFailure = status === "partial" || status === "unavailable";
    if (isFailure && !counts.delisted.has(id)) counts.failed.add(id);
    if (status === "deferred") counts.deferred.add(id);
    counts.matched += matched?.branches.length ?? 0;
  }
}

/** Derives the stats of a run from the counts of its outcomes and the records of its steps. */
export const statsOf = (
  run: Run,
  steps: readonly StepRecord[],
  counts: OutcomeCounts,
): RunStats => ({
  ...run.stats,
  steps: stepStats(steps),
  matched: counts.matched,
  deferred: counts.deferred.size,
  changed: counts.changed.size,
  notified: counts.notified.size,
  delisted: counts.delisted.size,
  retryNextRun: counts.failed.size,
  ...unreadEntry(run, steps),
});

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
