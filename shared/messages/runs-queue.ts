import * as v from "valibot";

const watchlist = { account_id: v.string(), watchlist_id: v.string() };

/**
 * Schema of a message of the runs queue. The message names a watchlist that may be due, a run to
 * resume, a watchlist to purge, or the hold of a call to cancel.
 */
export const runsMessage = v.variant("type", [
  v.object({
    type: v.literal("due"),
    ...watchlist,
    scheduled_time: v.pipe(
      v.string(),
      v.check(
        (text) => !Number.isNaN(Date.parse(text)),
        ({ input }) => `'scheduled_time' must be an ISO 8601 time (got ${JSON.stringify(input)}).`,
      ),
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
export type RunsMessage = v.InferOutput<typeof runsMessage>;

/** The JSON value of a message of the runs queue. */
export type SentRunsMessage = v.InferInput<typeof runsMessage>;

interface WatchlistRef {
  readonly accountId: string;
  readonly watchlistId: string;
}

/**
 * Returns the message that makes the run starter check whether a run of a watchlist is due.
 * @param scheduledTime due time, ISO 8601
 * @param overdue true if the sweeper sends the message
 */
export const dueMessage = ({
  accountId,
  watchlistId,
  scheduledTime,
  overdue,
}: WatchlistRef & {
  readonly scheduledTime: string;
  readonly overdue?: boolean;
}): SentRunsMessage => ({
  type: "due",
  account_id: accountId,
  watchlist_id: watchlistId,
  scheduled_time: scheduledTime,
  ...(overdue === true && { overdue }),
});

/** Returns the message that makes the run starter resume a run. */
export const resumeMessage = ({
  accountId,
  watchlistId,
  runNumber,
}: WatchlistRef & { readonly runNumber: number }): SentRunsMessage => ({
  type: "resume",
  account_id: accountId,
  watchlist_id: watchlistId,
  run_number: runNumber,
});

/** Returns the message that makes the run starter purge a deleted watchlist. */
export const purgeMessage = (watchlistId: string): SentRunsMessage => ({
  type: "purge",
  watchlist_id: watchlistId,
});

/** Returns the message that makes the run starter cancel the hold of a call. */
export const cancelMessage = ({
  accountId,
  holdId,
}: {
  readonly accountId: string;
  readonly holdId: string;
}): SentRunsMessage => ({ type: "cancel", account_id: accountId, hold_id: holdId });
