import { limits } from "../base/limits.ts";
import type { HistorySpan } from "./history.ts";

const dayMs = 86_400_000;

/**
 * The earliest time, ISO 8601, of which the history is shown. Older points may still be stored, but
 * stores leave them out.
 */
export const historyStart = (now: Date): string =>
  new Date(now.getTime() - limits.historyDays * dayMs).toISOString();

/** Returns the query with only the part of its span of which the history is shown. */
export function shownPart<Query extends HistorySpan>(query: Query, now: Date): Query {
  const start = historyStart(now);
  return query.since < start ? { ...query, since: start } : query;
}
