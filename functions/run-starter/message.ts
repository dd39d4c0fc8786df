import * as v from "valibot";

const watchlist = { account_id: v.string(), watchlist_id: v.string() };

/**
 * A message of the runs queue. It names a watchlist that may be due, a run to resume, a watchlist
 * to purge, or the hold of a call to cancel.
 */
export const runMessage = v.variant("type", [
  v.object({
    type: v.literal("due"),
    ...watchlist,
    scheduled_time: v.pipe(
      v.string(),
      v.check((text) => !Number.isNaN(Date.parse(text)), "not a time"),
    ),
    /**
     * True if the sweeper sent the message because the message of the watchlist's schedule was
     * lost.
     */
    overdue: v.optional(v.boolean(), false),
    /**
     * The length of the chain of messages that caused this message. Absent only in messages of
     * schedules that an earlier release created.
     */
    hops: v.optional(v.number()),
  }),
  v.object({ type: v.literal("resume"), ...watchlist, run_number: v.number() }),
  v.object({ type: v.literal("purge"), watchlist_id: v.string() }),
  v.object({ type: v.literal("cancel"), account_id: v.string(), hold_id: v.string() }),
]);
export type RunMessage = v.InferOutput<typeof runMessage>;
