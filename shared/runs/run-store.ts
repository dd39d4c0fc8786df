import type { ItemCounts, Watchlist } from "../watchlists/watchlist.ts";
import type { BatchRef, BatchResult, Run, RunRef, StepRecord, StepStats } from "./run.ts";

export interface Plan {
  readonly run: Run;
  readonly step: StepRecord;
  /** Ids of each batch, in id order. */
  readonly batches: readonly (readonly string[])[];
}

/** How the list's row changes when a run ends. */
export interface ListOutcome {
  /** True pauses the list for lack of credits. */
  readonly pause: boolean;
  readonly consecutiveSkips: number;
  readonly itemCounts: ItemCounts;
}

/** Runs, their steps and what the steps found. Every write is safe to repeat. */
export interface RunStore {
  /**
   * Starts a run in one transaction with the list's row: at most one run per list is in progress,
   * and a list that changed since it was read is not claimed.
   */
  claim(claim: {
    readonly run: Run;
    readonly watchlist: Watchlist;
    readonly nextRunAt: string | null;
  }): Promise<"claimed" | "conflict">;
  get(ref: RunRef): Promise<Run | undefined>;
  /** Newest first. */
  list(
    watchlistId: string,
    limit: number,
  ): Promise<{ readonly runs: readonly Run[]; readonly hasMore: boolean }>;
  /** Fixes the plan of a step; the first one wins and is returned. */
  plan(plan: Plan): Promise<StepRecord>;
  step(runId: string, step: string): Promise<StepRecord | undefined>;
  /** Moves the run from planned to reading. */
  startReading(run: Run, progressBy: Date): Promise<void>;
  batchIds(ref: BatchRef): Promise<readonly string[]>;
  result(ref: BatchRef): Promise<BatchResult | undefined>;
  /** Records a batch's result; the first one wins and is returned. */
  recordResult(ref: BatchRef, result: BatchResult): Promise<BatchResult>;
  /** Marks a batch as stored everywhere; returns the step after it. */
  markDone(ref: BatchRef, progressBy: Date): Promise<StepRecord>;
  /** The results of a step in batch order, one at a time. */
  results(step: StepRecord): AsyncIterable<BatchResult>;
  /** Records a settled step; the first one wins. */
  recordStep(step: StepRecord, stats: StepStats): Promise<void>;
  /** Moves the run to `finishing`, from whatever phase comes before it. */
  startFinishing(run: Run, change: Pick<Run, "status" | "credits" | "stats">): Promise<void>;
  /**
   * Writes a run that ended in one transaction with its list's row; a null `list` writes the run
   * alone. `list_gone` when the list no longer has this run in progress.
   */
  finish(run: Run, list: ListOutcome | null): Promise<"finished" | "finished_before" | "list_gone">;
  markEmitted(run: Run): Promise<void>;
  /**
   * Takes the runs that stand still since before `now`: each is looked for again only after
   * `nextLook`.
   */
  takeStalled(look: {
    readonly now: Date;
    readonly nextLook: Date;
    readonly limit: number;
  }): Promise<readonly RunRef[]>;
}
