import { type Difference, missing, present } from "./difference.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { RunEventType } from "../../../shared/events/event.ts";

/** Where a run stands in the feed. */
export interface FeedPlace {
  readonly sequence: number;
  readonly runId: string;
}

/** A run in the feed; times are ISO 8601 UTC. */
export interface StoredFeedEntry extends FeedPlace {
  /** When the run ended. */
  readonly createdAt: string;
  /** When it was added: never before a run of a lower number. */
  readonly appendedAt: string;
  /** The types of its events, each once. */
  readonly types: readonly RunEventType[];
}

/** DynamoDB deletes rows when it comes to it: what is about to expire is left alone. */
const marginDays = 2;

/** From when on runs must be in the feed, as an ISO time. */
export const feedKeptSince = (now: Date): string =>
  new Date(
    now.getTime() - (limits.eventRetentionDays - marginDays) * 24 * 60 * 60 * 1_000,
  ).toISOString();

/**
 * Holds an account's feed, taken by its numbers and then by its times, to its count, read before:
 * numbers have no gap among the runs that are kept, and each run stands in both places. Remembers
 * where each run stands.
 */
export function feedCheck(
  accountId: string,
  opened: { readonly at: string; readonly kept: string; readonly count: number },
) {
  const { kept, count } = opened;
  let [next, before] = [1, opened.at];
  /** Kept runs by their numbers, as long as they were not found by their times. */
  const waiting = new Map<number, string>();
  const entries = new Map<string, readonly RunEventType[]>();
  const placeOf = (which: string): string => `${accountId} feed ${which}`;
  const gapTo = (last: number): Difference[] => {
    const first = next;
    // What came after a run that is kept is kept too.
    if (first > last || before < kept) return [];
    const which = first === last ? `run ${first}` : `runs ${first} to ${last}`;
    return [{ place: placeOf(which), field: "row", stored: missing, expected: present }];
  };
  return {
    take({ sequence, runId, createdAt, appendedAt, types }: StoredFeedEntry): Difference[] {
      // What was added since the count was read is looked at by the next to look.
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
    /** @param later the count, read after all: what was added meanwhile is within it. */
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
    /** The types of a run's events; none for one whose entry is gone, null for one not there at all. */
    typesOf: (runId: string): readonly RunEventType[] | null => entries.get(runId) ?? null,
  };
}
