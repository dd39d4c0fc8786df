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

/** Step id to the ids of the items that start there, in id order, cut into batches. */
export type Starts = ReadonlyMap<string, readonly (readonly string[])[]>;

export interface StepPlan {
  readonly step: StepRecord;
  /** Not stored again for a step that reads what the run's plan starts there. */
  readonly batches: readonly PlannedBatch[];
}

export interface OpenedBatch {
  readonly run: Run | undefined;
  readonly step: StepRecord | undefined;
  readonly planned: PlannedBatch | undefined;
  readonly result: BatchResult | undefined;
}

/** Whether a result is the one that counts for its batch, or which one does. */
export type RecordedResult =
  | { readonly isFirst: true }
  | { readonly isFirst: false; readonly first: BatchResult };

/** The steps of runs: what was planned, and what each batch found. Every write is safe to repeat. */
export interface StepStore {
  /** Writes which items start where, under a plan's name: read only if that plan wins. */
  saveStarts(runId: string, plan: string, starts: Starts): Promise<void>;
  /** The batches of items that start at a step, by the plan that won. */
  starts(run: Run, step: string): Promise<readonly (readonly string[])[]>;
  /** Fixes the plan of a step; the first one wins and is returned. */
  plan(plan: StepPlan): Promise<StepRecord>;
  get(runId: string, step: string): Promise<StepRecord | undefined>;
  /** The planned steps of a run, in the order they are taken. */
  list(runId: string): Promise<readonly StepRecord[]>;
  /**
   * Fixes whether a step is read: a shortfall defers it. The first decision stands and is returned.
   * `over`: the run is no longer reading, and nothing was decided.
   */
  decide(run: Run, step: StepRecord, shortfall: Shortfall | null): Promise<StepDecision | "over">;
  /** All that is known of a batch; what does not exist, or not any more, is undefined. */
  open(ref: BatchRef): Promise<OpenedBatch>;
  /** Undefined when the list was deleted and its runs with it. */
  planned(ref: BatchRef): Promise<PlannedBatch | undefined>;
  /** Records a batch's result; the first one counts. */
  recordResult(ref: BatchRef, result: BatchResult): Promise<RecordedResult>;
  /**
   * Marks a batch as stored in the items; returns the step after it, or undefined when the list was
   * deleted and its runs with it.
   */
  markDone(ref: BatchRef): Promise<StepRecord | undefined>;
  /** Sum over the batches recorded so far. */
  counts(step: StepRecord): Promise<BatchCounts>;
  /** The outcomes that a step's routes send to other steps, batch by batch. */
  routed(step: StepRecord): AsyncIterable<readonly ItemOutcome[]>;
  /**
   * The results of a step in batch order, one at a time, without the outcomes that are silent: from
   * which no event, count or route comes.
   */
  toldResults(step: StepRecord): AsyncIterable<BatchResult>;
  /** Ids of the items that a step delisted, batch by batch. */
  delisted(step: StepRecord): AsyncIterable<readonly string[]>;
  /** Records what a settled step came to; the first one wins. */
  recordStats(step: StepRecord): Promise<void>;
}
