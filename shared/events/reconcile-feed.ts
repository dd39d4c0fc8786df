import { type Difference, fieldDifferences, missing, present } from "../base/difference.ts";
import { limits } from "../base/limits.ts";

/** A run in the feed; times are ISO 8601 UTC. */
export interface StoredFeedEntry {
  readonly sequence: number;
  /** When the run ended. */
  readonly createdAt: string;
  /** When it was added: never before a run of a lower number. */
  readonly appendedAt: string;
}

/** DynamoDB deletes rows when it comes to it: what is about to expire is left alone. */
const marginDays = 2;

/** From when on runs must be in the feed, as an ISO time. */
export const feedKeptSince = (now: Date): string =>
  new Date(
    now.getTime() - (limits.eventRetentionDays - marginDays) * 24 * 60 * 60 * 1_000,
  ).toISOString();

/**
 * Holds an account's feed, taken by its numbers, to its count: numbers have no gap among the runs
 * that are kept, and as many runs stand by their time.
 */
export function feedCheck(
  accountId: string,
  opened: { readonly at: string; readonly kept: string },
) {
  const { kept } = opened;
  let [next, before, runs, hasGap] = [1, opened.at, 0, false];
  const gapTo = (last: number): Difference[] => {
    // What came after a run that is kept is kept too.
    if (next > last || before < kept) return [];
    hasGap = true;
    const which = next === last ? `run ${next}` : `runs ${next} to ${last}`;
    const place = `${accountId} feed ${which}`;
    return [{ place, field: "row", stored: missing, expected: present }];
  };
  return {
    take({ sequence, createdAt, appendedAt }: StoredFeedEntry): Difference[] {
      const gap = gapTo(sequence - 1);
      [next, before] = [sequence + 1, appendedAt];
      runs += createdAt < kept ? 0 : 1;
      return gap;
    },
    /** @param count the number of the newest run; `byTime`: the kept runs that stand by their time. */
    end({ count, byTime }: { readonly count: number; readonly byTime: number }): Difference[] {
      const gap = gapTo(count);
      // What is missing shows in this as well: it is said once.
      if (hasGap) return gap;
      const field = "runs by their time";
      return fieldDifferences(`${accountId} feed`, { [field]: byTime }, { [field]: runs });
    },
  };
}
