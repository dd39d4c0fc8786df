import * as v from "valibot";

/** A message of the back-tests queue. It names a job to run. */
export const backtestMessage = v.object({
  account_id: v.string(),
  watchlist_id: v.string(),
  backtest_id: v.string(),
});
