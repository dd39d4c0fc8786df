import type { Watchlist, WatchlistItem } from "../../api/resources.ts";

export interface ItemFilter {
  readonly state: WatchlistItem["state"] | undefined;
  /** An ISO 8601 time, or the constant `lastRun`; undefined for any time. */
  readonly changedSince: string | undefined;
  /** The text as the user typed it. */
  readonly idPrefix: string;
}

export const allItems: ItemFilter = { state: undefined, changedSince: undefined, idPrefix: "" };

/** The value of `changedSince` for "since the start of the newest run". */
export const lastRun = "last run";

const prefixLengthMax = 15;

/**
 * Converts the text of the search box to a prefix of stored IDs. Removes a leading letter and
 * hyphen, such as `A-`, and all characters except letters and digits. Cuts the rest to 15
 * characters. Returns an empty text if nothing is left.
 */
export const prefixOf = (written: string): string =>
  written
    .trim()
    .replace(/^[a-z]-/i, "")
    .replaceAll(/[^a-z0-9]/gi, "")
    .slice(0, prefixLengthMax);

/**
 * Returns the time to send to the service as `changed_since`; undefined for any time. `lastRun`
 * becomes the start of the last run.
 */
export const sinceOf = (
  { changedSince }: ItemFilter,
  { last_run_at: lastRunAt }: Pick<Watchlist, "last_run_at">,
): string | undefined => (changedSince === lastRun ? (lastRunAt ?? undefined) : changedSince);

/**
 * Converts the value of a `datetime-local` input, which is in the browser's time zone, to ISO 8601
 * in UTC. Returns undefined for an empty or invalid value.
 */
export function timeOf(value: string): string | undefined {
  const time = new Date(value);
  return Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
