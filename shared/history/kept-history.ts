import { limits } from "../base/limits.ts";
import type { HistorySpan } from "./history.ts";

const dayMs = 86_400_000;

/**
 * Returns the earliest time, ISO 8601, whose history is shown at `now`. Older points may still be
 * stored, but readers do not find them.
 */
export const historyStart = (now: Date): string =>
  new Date(now.getTime() - limits.historyDays * dayMs).toISOString();

/**
 * Returns the query with `historyStart(now)` as `since` if its `since` is earlier. Otherwise
 * returns the query unchanged.
 */
export function withShownSpan<Query extends HistorySpan>(query: Query, now: Date): Query {
  const start = historyStart(now);
  return query.since < start ? { ...query, since: start } : query;
}
