import type { Item } from "../watchlists/item.ts";
import type { BatchCounts, BatchRef, BatchResult, EffectiveResult, PlannedBatch } from "./batch.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import type { Run } from "./run.ts";
import type { Shortfall, StepDecision, StepRecord } from "./step.ts";

/** Sorted IDs of the items that start at a step, in batches, by step ID. */
export type Starts = ReadonlyMap<string, readonly (readonly string[])[]>;

/** A step to plan, and its batches. */
export interface StepPlan {
  readonly step: StepRecord;
  /**
   * The batches of the step; empty if `step.starts` is set, because the run's plan contains the
   * same batches.
   */
  readonly batches: readonly PlannedBatch[];
}

/** A batch with its run, its step and its result. Each of them is undefined if it is not stored. */
export interface OpenedBatch {
  readonly run: Run | undefined;
  readonly step: StepRecord | undefined;
  readonly planned: PlannedBatch | undefined;
  readonly result: BatchResult | undefined;
}

/**
 * The effect of `recordResult`. If `isFirst` is true, the call recorded its result. Otherwise
 * another result was recorded earlier, and `first` is that result.
 */
export type RecordedResult =
  | { readonly isFirst: true }
  | { readonly isFirst: false; readonly first: BatchResult };

/** Stores the steps of runs: plans, decisions and batch results. Every write is idempotent. */
export interface StepStore {
  /**
   * Stores the batches of the items that start at each step, under the ID of a run's plan. The
   * batches have no effect unless the run stores this plan ID.
   */
  saveStarts(runId: string, plan: string, starts: Starts): Promise<void>;
  /**
   * Returns the IDs of the items that start at a step, in batches, from the plan of the run. Empty
   * if no item starts at the step.
   */
  starts(run: Run, step: string): Promise<readonly (readonly string[])[]>;
  /**
   * Stores the plan of a step, unless the step already has one. Returns the step with the stored
   * plan. Returns `over` if the step has no plan and the run is no longer in phase `reading`.
   */
  plan(run: Run, plan: StepPlan): Promise<StepRecord | "over">;
  /** Reads a planned step; undefined if the step is not planned. */
  get(runId: string, step: string): Promise<StepRecord | undefined>;
  /** Returns all planned steps of a run, in run order; an empty list if there are none. */
  list(runId: string): Promise<readonly StepRecord[]>;
  /**
   * Stores the decision about a step: `defer` if there is a shortfall, otherwise `read`. Returns
   * the first decision that was stored. Returns `over`, without a decision, if the run is no longer
   * in phase `reading`.
   */
  decide(run: Run, step: StepRecord, shortfall: Shortfall | null): Promise<StepDecision | "over">;
  /** Stores that all batches of a step were sent to the queue. */
  recordSent(step: StepRecord): Promise<void>;
  /** Reads a batch with its run, step and result. */
  open(ref: BatchRef): Promise<OpenedBatch>;
  /** Reads the planned items of a batch. Undefined if the watchlist and its runs were deleted. */
  planned(ref: BatchRef): Promise<PlannedBatch | undefined>;
  /**
   * Records the result of a batch, unless one is already recorded.
   * @param before the items of the outcomes as they were before the batch; without them, the run
   * cannot be discarded
   */
  recordResult(
    ref: BatchRef,
    result: BatchResult,
    before?: readonly Item[],
  ): Promise<RecordedResult>;
  /**
   * Yields, for each batch of a step with a result, the items that `recordResult` stored as
   * `before`; an empty array if it stored none.
   */
  itemsBefore(step: StepRecord): AsyncIterable<readonly Item[]>;
  /**
   * Marks a batch as done: its outcomes are stored in the items. Returns the step after the write;
   * undefined if the watchlist and its runs were deleted.
   */
  markDone(ref: BatchRef): Promise<StepRecord | undefined>;
  /** Sums the counts of all recorded batches of a step. */
  counts(step: StepRecord): Promise<BatchCounts>;
  /** Yields the outcomes of items that a step routes to other steps, batch by batch. */
  routed(step: StepRecord): AsyncIterable<readonly ItemOutcome[]>;
  /**
   * Yields the results of a step in batch order, which is also the order of their item IDs. The
   * results have only the outcomes that affect an event, a stat or a route.
   */
  effectiveResults(step: StepRecord): AsyncIterable<EffectiveResult>;
  /** Yields the IDs of the items that a step delisted, batch by batch. */
  delisted(step: StepRecord): AsyncIterable<readonly string[]>;
  /** Records the stats of a settled step, unless they are already recorded. */
  recordStats(step: StepRecord): Promise<void>;
}
