import * as v from "valibot";

/**
 * Schema that parses a message of the steps queue. The message names one batch of a planned step.
 */
export const batchMessage = v.pipe(
  v.object({
    account_id: v.string(),
    watchlist_id: v.string(),
    run_number: v.number(),
    run_id: v.string(),
    step: v.string(),
    /** The ID of the plan that divides the items of the step into batches. */
    plan: v.string(),
    /**
     * The ID of the run's plan if the batch belongs to that plan, otherwise null (as in
     * `BatchRef`).
     */
    starts: v.nullable(v.string()),
    /** The number of the batch in its plan, from 0. */
    batch: v.number(),
    /** The length of the chain of messages that caused this message (`limits.messageHopsMax`). */
    hops: v.number(),
  }),
  v.transform((message) => ({
    accountId: message.account_id,
    watchlistId: message.watchlist_id,
    runNumber: message.run_number,
    runId: message.run_id,
    step: message.step,
    plan: message.plan,
    starts: message.starts,
    batch: message.batch,
    hops: message.hops,
  })),
);
export type BatchMessage = v.InferOutput<typeof batchMessage>;

/** Converts a message about a batch to the JSON value that is sent to the steps queue. */
export const toBatchMessage = (message: BatchMessage): v.InferInput<typeof batchMessage> => ({
  account_id: message.accountId,
  watchlist_id: message.watchlistId,
  run_number: message.runNumber,
  run_id: message.runId,
  step: message.step,
  plan: message.plan,
  starts: message.starts,
  batch: message.batch,
  hops: message.hops,
});
