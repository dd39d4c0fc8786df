import type { BatchRef } from "./batch.ts";
import type { RunRef } from "./run.ts";

/** Sends wake-up messages to the workers of runs. The workers act only on stored rows. */
export interface RunQueue {
  /**
   * Requests a run if the watchlist is due. `scheduledTime` is the time of the schedule's tick
   * (ISO).
   */
  sendDue(due: {
    readonly accountId: string;
    readonly watchlistId: string;
    readonly scheduledTime: string;
    /**
     * True if the sweeper sends the message because the watchlist is overdue. The run starter then
     * also restores the watchlist's EventBridge schedule, which may be missing.
     */
    readonly overdue?: boolean;
  }): Promise<void>;
  /** Requests a purge: the deletion of all remaining rows of a deleted watchlist. */
  sendPurge(watchlistId: string): Promise<void>;
  /** Requests that a run continues from its current phase. */
  sendResume(run: RunRef): Promise<void>;
  /** Sends a message for each batch, so that a step worker reads it. */
  sendBatches(batches: readonly BatchRef[]): Promise<void>;
  /**
   * Requests that the finisher continues a run in phase `finishing`, `emitting`, `holding`,
   * `releasing` or `discarding`.
   */
  sendFinish(run: RunRef): Promise<void>;
}
