import type { BatchRef, RunRef } from "./run.ts";

/** Sends wake-up messages to the Lambdas of a run. The stored rows decide what is done. */
export interface RunQueue {
  /** Requests a run if the watchlist is due. `scheduledTime`: the schedule's tick, not the sending time. */
  sendDue(due: {
    readonly accountId: string;
    readonly watchlistId: string;
    readonly scheduledTime: string;
    /** True if the sweeper found the watchlist overdue: its EventBridge schedule may be missing. */
    readonly overdue?: boolean;
  }): Promise<void>;
  /** Requests the removal of rows that a deleted watchlist may have left. */
  sendPurge(watchlistId: string): Promise<void>;
  /** Requests that a run continues from its current phase. */
  sendResume(run: RunRef): Promise<void>;
  sendBatches(batches: readonly BatchRef[]): Promise<void>;
  sendFinish(run: RunRef): Promise<void>;
}
