import { limits } from "../base/limits.ts";
import type { HistorySpan } from "./history.ts";

const dayMs = 86_400_000;

/**
 * Returns the start of the kept history at `now`, ISO 8601. Points before this start may still be
 * stored, but no reader returns them.
 */
export const historyStart = (now: Date): string =>
  new Date(now.getTime() - limits.historyDays * dayMs).toISOString();

/**
 * Limits a query to the kept history. If the query's `since` is earlier than `historyStart(now)`,
 * returns the query with this start as `since`. Otherwise returns the query unchanged.
 */
export function withShownSpan<Query extends HistorySpan>(query: Query, now: Date): Query {
  const start = historyStart(now);
  return query.since < start ? { ...query, since: start } : query;
}
