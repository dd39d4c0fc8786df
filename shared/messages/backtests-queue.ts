import * as v from "valibot";

/** Schema that parses a message of the back-tests queue. The message names a job to run. */
export const backtestMessage = v.pipe(
  v.object({ account_id: v.string(), watchlist_id: v.string(), backtest_id: v.string() }),
  v.transform((message) => ({
    accountId: message.account_id,
    watchlistId: message.watchlist_id,
    id: message.backtest_id,
  })),
);
export type BacktestMessage = v.InferOutput<typeof backtestMessage>;

/** Converts a message of the back-tests queue to the JSON value that is sent. */
export const toBacktestMessage = ({
  accountId,
  watchlistId,
  id,
}: BacktestMessage): v.InferInput<typeof backtestMessage> => ({
  account_id: accountId,
  watchlist_id: watchlistId,
  backtest_id: id,
});
