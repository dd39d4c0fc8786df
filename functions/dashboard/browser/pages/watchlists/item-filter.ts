import type { Watchlist, WatchlistItem } from "../../api/resources.ts";

export interface ItemFilter {
  readonly state: WatchlistItem["state"] | undefined;
  /** ISO 8601, or `lastRun`. */
  readonly changedSince: string | undefined;
  /** As it was written. */
  readonly idPrefix: string;
}

export const allItems: ItemFilter = { state: undefined, changedSince: undefined, idPrefix: "" };

/** Since the newest run began, whichever that is by then. */
export const lastRun = "last run";

const prefixLengthMax = 15;

/** The prefix that the search box asks for, in the stored form of IDs: without `A-`. */
export const prefixOf = (written: string): string =>
  written
    .trim()
    .replace(/^[a-z]-/i, "")
    .replaceAll(/[^a-z0-9]/gi, "")
    .slice(0, prefixLengthMax);

/** What to ask the service for. */
export const sinceOf = (
  { changedSince }: ItemFilter,
  { last_run_at: lastRunAt }: Pick<Watchlist, "last_run_at">,
): string | undefined => (changedSince === lastRun ? (lastRunAt ?? undefined) : changedSince);

/** ISO 8601 of what a control for local times has; undefined for what is no time that can be sent. */
export function timeOf(value: string): string | undefined {
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
