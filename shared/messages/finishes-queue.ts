import * as v from "valibot";

/**
 * Schema that parses a message of the finishes queue. The message names a run whose steps are done.
 */
export const finishMessage = v.pipe(
  v.object({ account_id: v.string(), watchlist_id: v.string(), run_number: v.number() }),
  v.transform((message) => ({
    accountId: message.account_id,
    watchlistId: message.watchlist_id,
    runNumber: message.run_number,
  })),
);
export type FinishMessage = v.InferOutput<typeof finishMessage>;

/** Converts a message of the finishes queue to the JSON value that is sent. */
export const toFinishMessage = ({
  accountId,
  watchlistId,
  runNumber,
}: FinishMessage): v.InferInput<typeof finishMessage> => ({
  account_id: accountId,
  watchlist_id: watchlistId,
  run_number: runNumber,
});
