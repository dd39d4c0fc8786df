import type {
  BatchCounts,
  BatchRef,
  BatchResult,
  ItemOutcome,
  PlannedBatch,
  Run,
  Shortfall,
  StepDecision,
  StepRecord,
} from "./run.ts";

/** By step ID: the sorted IDs of the items that start there, in batches. */
export type Starts = ReadonlyMap<string, readonly (readonly string[])[]>;

export interface StepPlan {
  readonly step: StepRecord;
  /** Not stored if `step.starts` is set: the run's plan has these batches. */
  readonly batches: readonly PlannedBatch[];
}

export interface OpenedBatch {
  readonly run: Run | undefined;
  readonly step: StepRecord | undefined;
  readonly planned: PlannedBatch | undefined;
  readonly result: BatchResult | undefined;
}

/** `isFirst`: the result was recorded; otherwise `first` is the result recorded before. */
export type RecordedResult =
  | { readonly isFirst: true }
  | { readonly isFirst: false; readonly first: BatchResult };

/** Stores the steps of runs: plans, decisions and batch results. Every write is idempotent. */
export interface StepStore {
  /** Stores the starting batches of a plan. They are used only if the run adopts this plan. */
  saveStarts(runId: string, plan: string, starts: Starts): Promise<void>;
  /** The starting batches of a step, by the run's plan. */
  starts(run: Run, step: string): Promise<readonly (readonly string[])[]>;
  /** Stores the plan of a step unless it has one. Returns the stored plan. */
  plan(plan: StepPlan): Promise<StepRecord>;
  get(runId: string, step: string): Promise<StepRecord | undefined>;
  /** The planned steps of a run, in run order. */
  list(runId: string): Promise<readonly StepRecord[]>;
  /**
   * Stores whether a step is read; a shortfall defers it. The first decision wins and is returned.
   * `over`: the run is no longer in phase `reading`, and nothing was stored.
   */
  decide(run: Run, step: StepRecord, shortfall: Shortfall | null): Promise<StepDecision | "over">;
  /** Reads a batch with its run, step and result. Missing parts are undefined. */
  open(ref: BatchRef): Promise<OpenedBatch>;
  /** Undefined if the watchlist was deleted with its runs. */
  planned(ref: BatchRef): Promise<PlannedBatch | undefined>;
  /** Records the result of a batch. The first result wins. */
  recordResult(ref: BatchRef, result: BatchResult): Promise<RecordedResult>;
  /**
   * Marks a batch as stored in the items. Returns the step after the write; undefined if the
   * watchlist was deleted with its runs.
   */
  markDone(ref: BatchRef): Promise<StepRecord | undefined>;
  /** Sum of the counts of all recorded batches. */
  counts(step: StepRecord): Promise<BatchCounts>;
  /** The outcomes of items that a step routes to other steps, batch by batch. */
  routed(step: StepRecord): AsyncIterable<readonly ItemOutcome[]>;
  /**
   * The results of a step in batch order, one at a time, without outcomes that affect no event, no
   * stat and no route.
   */
  effectiveResults(step: StepRecord): AsyncIterable<BatchResult>;
  /** IDs of the items that a step delisted, batch by batch. */
  delisted(step: StepRecord): AsyncIterable<readonly string[]>;
  /** Records the stats of a settled step. The first stats win. */
  recordStats(step: StepRecord): Promise<void>;
}
