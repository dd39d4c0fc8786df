import type { BatchRef, RunRef } from "./run.ts";

/** Wakes the Lambdas of a run. Every message is a hint: what is to be done stands in the rows. */
export interface RunQueue {
  /** A list may be due. `scheduledTime` is when, by the schedule, not when the message is sent. */
  sendDue(due: {
    readonly accountId: string;
    readonly watchlistId: string;
    readonly scheduledTime: string;
    /** True for a list whose own tick did not come: it may have lost its schedule. */
    readonly overdue?: boolean;
  }): Promise<void>;
  /** A list that does not exist may have left something behind. */
  sendPurge(watchlistId: string): Promise<void>;
  /** A claimed run wants to be taken from wherever it stands. */
  sendResume(run: RunRef): Promise<void>;
  sendBatches(batches: readonly BatchRef[]): Promise<void>;
  sendFinish(run: RunRef): Promise<void>;
}
