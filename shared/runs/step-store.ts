import type { BatchRef, BatchResult, Run, StepRecord, StepStats } from "./run.ts";

export interface Plan {
  readonly run: Run;
  readonly step: StepRecord;
  /** Ids of each batch, in id order. */
  readonly batches: readonly (readonly string[])[];
}

/** The steps of runs: what was planned, and what each batch found. Every write is safe to repeat. */
export interface StepStore {
  /** Fixes the plan of a step; the first one wins and is returned. */
  plan(plan: Plan): Promise<StepRecord>;
  get(runId: string, step: string): Promise<StepRecord | undefined>;
  batchIds(ref: BatchRef): Promise<readonly string[]>;
  result(ref: BatchRef): Promise<BatchResult | undefined>;
  /** Records a batch's result; the first one wins and is returned. */
  recordResult(ref: BatchRef, result: BatchResult): Promise<BatchResult>;
  /** Marks a batch as stored in the items; returns the step after it. */
  markDone(ref: BatchRef): Promise<StepRecord>;
  /** The results of a step in batch order, one at a time. */
  results(step: StepRecord): AsyncIterable<BatchResult>;
  /** Records what a settled step came to; the first one wins. */
  recordStats(step: StepRecord, stats: StepStats): Promise<void>;
}
