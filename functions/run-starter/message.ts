import * as v from "valibot";

const list = { account_id: v.string(), watchlist_id: v.string() };

/** What the runs queue carries: a list that may be due, or a run to be taken on. */
export const runMessage = v.variant("type", [
  v.object({
    type: v.literal("due"),
    ...list,
    scheduled_time: v.pipe(
      v.string(),
      v.check((text) => !Number.isNaN(Date.parse(text)), "not a time"),
    ),
  }),
  v.object({ type: v.literal("resume"), ...list, run_number: v.number() }),
]);
