import { type Difference, missing, present } from "./difference.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { RunEventType } from "../../../shared/events/event.ts";

/** The place of a run in the feed. */
export interface FeedPlace {
  readonly sequence: number;
  readonly runId: string;
}

/** A run in the feed; times are ISO 8601 UTC. */
export interface StoredFeedEntry extends FeedPlace {
  /** When the run ended. */
  readonly createdAt: string;
  /** When the run was added. Never earlier than the run with the previous number. */
  readonly appendedAt: string;
  /** The types of its events, each once. */
  readonly types: readonly RunEventType[];
}

/** DynamoDB deletes expired rows later, so runs close to their expiry are not checked. */
const marginDays = 2;

/** Returns the ISO time from which runs must be in the feed. */
export const feedKeptSince = (now: Date): string =>
  new Date(
    now.getTime() - (limits.eventRetentionDays - marginDays) * 24 * 60 * 60 * 1_000,
  ).toISOString();

/**
 * Checks an account's feed, first by number and then by time, against its count, which was read
 * before. The numbers of kept runs have no gap, and each run is stored under its number and its
 * time. Keeps the event types of each run.
 */
export function feedCheck(
  accountId: string,
  opened: { readonly at: string; readonly kept: string; readonly count: number },
) {
  const { kept, count } = opened;
  let [next, before] = [1, opened.at];
  /** Kept runs by number that were not found by time yet. */
  const waiting = new Map<number, string>();
  const entries = new Map<string, readonly RunEventType[]>();
  const placeOf = (which: string): string => `${accountId} feed ${which}`;
  const gapTo = (last: number): Difference[] => {
    const first = next;
    // Runs after a kept run are kept too.
    if (first > last || before < kept) return [];
    const which = first === last ? `run ${first}` : `runs ${first} to ${last}`;
    return [{ place: placeOf(which), field: "row", stored: missing, expected: present }];
  };
  return {
    take({ sequence, runId, createdAt, appendedAt, types }: StoredFeedEntry): Difference[] {
      // The next check covers runs that were added after the count was read.
      const gap = gapTo(Math.min(sequence - 1, count));
      [next, before] = [sequence + 1, appendedAt];
      entries.set(runId, types);
      if (createdAt >= kept && sequence <= count) waiting.set(sequence, runId);
      return gap;
    },
    takeByTime({ sequence, runId }: FeedPlace): Difference[] {
      const found = waiting.get(sequence);
      waiting.delete(sequence);
      if (!entries.has(runId)) entries.set(runId, []);
      if (found === undefined || found === runId) return [];
      const place = placeOf(`run ${sequence}`);
      return [{ place, field: "run_id", stored: found, expected: runId }];
    },
    /**
     * Ends the check.
     * @param later the count, read last, which includes runs added since
     */
    end(later: number): Difference[] {
      const highest = next - 1;
      const unequal = { place: `${accountId} feed`, field: "count", stored: later };
      return [
        ...gapTo(count),
        ...[...waiting.keys()].map((sequence) => ({
          place: placeOf(`run ${sequence}`),
          field: "row by its time",
          stored: missing,
          expected: present,
        })),
        ...(highest > later ? [{ ...unequal, expected: highest }] : []),
      ];
    },
    /** Returns the event types of a run; empty if its entry expired, null if it is missing. */
    typesOf: (runId: string): readonly RunEventType[] | null => entries.get(runId) ?? null,
  };
}
