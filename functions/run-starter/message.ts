import * as v from "valibot";

const list = { account_id: v.string(), watchlist_id: v.string() };

/**
 * What the runs queue carries: a watchlist that may be due, a run to resume, a watchlist to purge, and
 * the hold of a call to cancel.
 */
export const runMessage = v.variant("type", [
  v.object({
    type: v.literal("due"),
    ...list,
    scheduled_time: v.pipe(
      v.string(),
      v.check((text) => !Number.isNaN(Date.parse(text)), "not a time"),
    ),
    /** True from the sweeper: the list's own tick did not come. */
    overdue: v.optional(v.boolean(), false),
    /** Absent only in a tick of a schedule that an earlier release wrote. */
    hops: v.optional(v.number()),
  }),
  v.object({ type: v.literal("resume"), ...list, run_number: v.number() }),
  v.object({ type: v.literal("purge"), watchlist_id: v.string() }),
  v.object({ type: v.literal("cancel"), account_id: v.string(), hold_id: v.string() }),
]);
export type RunMessage = v.InferOutput<typeof runMessage>;
