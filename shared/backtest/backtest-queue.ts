import type { BacktestRef } from "./backtest-job.ts";

/** Queue of the jobs that the worker of back-tests runs. */
export interface BacktestQueue {
  /** Sends a wake-up message for a stored job. */
  send(job: BacktestRef): Promise<void>;
}
