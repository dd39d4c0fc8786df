import { type Difference, missing, present } from "./difference.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { RunEventType } from "../../../shared/events/event.ts";

/** The position of a run in the event feed: its sequence number there, and the run's ID. */
export interface FeedPlace {
  readonly sequence: number;
  readonly runId: string;
}

/** A run in the feed. Times are in ISO 8601 UTC. */
export interface StoredFeedEntry extends FeedPlace {
  /** The time of the run's end. */
  readonly createdAt: string;
  /**
   * The time at which the run was added to the feed. It is not earlier than the `appendedAt` of the
   * run with the previous sequence.
   */
  readonly appendedAt: string;
  /** The event types of the run, without repetition. */
  readonly types: readonly RunEventType[];
}

/**
 * A run is not checked in this number of days before its expiry. After the expiry, DynamoDB may
 * delete the row of the run at any time.
 */
const marginDays = 2;

/** Returns the earliest end (ISO 8601) of the runs that must still be in the feed. */
export const feedKeptSince = (now: Date): string =>
  new Date(
    now.getTime() - (limits.eventRetentionDays - marginDays) * 24 * 60 * 60 * 1_000,
  ).toISOString();

/**
 * Creates a check of an account's feed. The sequences of unexpired runs must have no gap, and each
 * run must be stored both by its sequence and by its time. Call `take` for the runs by sequence,
 * then `takeByTime` for the runs by time, then `end`. `typesOf` returns the event types of a run
 * that `take` received, an empty array for a run that only `takeByTime` received, and null for any
 * other run.
 * @param opened `at` is the time of the account's creation, `keptSince` the time from
 * `feedKeptSince`, and `count` the feed's count, as read before its runs
 */
export function feedCheck(
  accountId: string,
  opened: { readonly at: string; readonly keptSince: string; readonly count: number },
) {
  const { keptSince, count } = opened;
  let [next, before] = [1, opened.at];
  /** The IDs of the runs that `takeByTime` has not found yet, by sequence. */
  const waiting = new Map<number, string>();
  const entries = new Map<string, readonly RunEventType[]>();
  const placeOf = (which: string): string => `${accountId} feed ${which}`;
  const gapTo = (last: number): Difference[] => {
    const first = next;
    // A missing run was added no earlier than the run before it. If that run is old enough to
    // expire, the missing runs may have expired too, so they are not reported.
    if (first > last || before < keptSince) return [];
    const which = first === last ? `run ${first}` : `runs ${first} to ${last}`;
    return [{ place: placeOf(which), field: "row", stored: missing, expected: present }];
  };
  return {
    take({ sequence, runId, createdAt, appendedAt, types }: StoredFeedEntry): Difference[] {
      // Runs after `count` were added during the check, so the next check compares them.
      const gap = gapTo(Math.min(sequence - 1, count));
      [next, before] = [sequence + 1, appendedAt];
      entries.set(runId, types);
      if (createdAt >= keptSince && sequence <= count) waiting.set(sequence, runId);
      return gap;
    },
    takeByTime({ sequence, runId }: FeedPlace): Difference[] {
      const storedRunId = waiting.get(sequence);
      waiting.delete(sequence);
      if (!entries.has(runId)) entries.set(runId, []);
      if (storedRunId === undefined || storedRunId === runId) return [];
      const place = placeOf(`run ${sequence}`);
      return [{ place, field: "run_id", stored: storedRunId, expected: runId }];
    },
    /**
     * Ends the check. Returns the runs that the feed lacks, and a difference if the feed's stored
     * count is too low.
     * @param later the feed's count, read after all runs
     */
    end(later: number): Difference[] {
      const highest = next - 1;
      const unequal = { place: `${accountId} feed`, field: "count", stored: later };
      return [
        ...gapTo(count),
        ...[...waiting.keys()].map((sequence) => ({
          place: placeOf(`run ${sequence}`),
          field: "row by end time",
          stored: missing,
          expected: present,
        })),
        ...(highest > later ? [{ ...unequal, expected: highest }] : []),
      ];
    },
    /**
     * Returns the event types of a run; an empty list if they have expired, null if the run is not
     * in the feed.
     */
    typesOf: (runId: string): readonly RunEventType[] | null => entries.get(runId) ?? null,
  };
}
