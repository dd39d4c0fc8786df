import type { BacktestJob, BacktestProgress, BacktestRef } from "./backtest-job.ts";
import type { BacktestResponse } from "./present-backtest.ts";

/** The end of a job: its result, or the reason for its failure. */
export type BacktestEnd =
  | { readonly status: "done"; readonly result: BacktestResponse }
  | { readonly status: "failed"; readonly error: string };

/** Stores the back-tests that run as jobs. An account has at most one job in progress. */
export interface BacktestStore {
  /**
   * Creates a job. Returns `busy` with the ID of the account's job in progress, if there is one. A
   * job counts as in progress only until its `endBy`.
   */
  create(
    job: BacktestJob,
  ): Promise<{ readonly outcome: "created" } | { readonly outcome: "busy"; readonly id: string }>;
  /** Returns a job; undefined if it does not exist or has expired. */
  get(ref: Omit<BacktestRef, "accountId">): Promise<BacktestJob | undefined>;
  /**
   * Stores the progress of a job. Returns false, without a change, if the job has ended or does not
   * exist.
   */
  recordProgress(ref: BacktestRef, progress: BacktestProgress): Promise<boolean>;
  /**
   * Ends a job, so that the account can start another one. Changes nothing if the job has already
   * ended or does not exist.
   */
  end(ref: BacktestRef, end: BacktestEnd): Promise<void>;
}
