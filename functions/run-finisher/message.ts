import * as v from "valibot";

/** A message of the finishes queue. It names a run whose steps are done. */
export const finishMessage = v.object({
  account_id: v.string(),
  watchlist_id: v.string(),
  run_number: v.number(),
});
