import type { Watchlist, WatchlistItem } from "../../api/resources.ts";

export interface ItemFilter {
  readonly state: WatchlistItem["state"] | undefined;
  /** An ISO 8601 time, or the constant `lastRun`; undefined for any time. */
  readonly changedSince: string | undefined;
  /** The text as the user typed it. */
  readonly search: string;
  /** One of `itemOrders`. */
  readonly order: string;
}

export const allItems: ItemFilter = {
  state: undefined,
  changedSince: undefined,
  search: "",
  order: "id asc",
};

/** The value of `changedSince` for "since the start of the newest run". */
export const lastRun = "last run";

/** The orders of the items, as `sort` and `order` of the API joined by a space. */
export const itemOrders = [
  ["id asc", "In the order of IDs"],
  ["name asc", "Name, A to Z"],
  ["name desc", "Name, Z to A"],
  ["price asc", "Lowest price first"],
  ["price desc", "Highest price first"],
  ["change asc", "Largest fall first"],
  ["change desc", "Largest rise first"],
  ["changed_at desc", "Last changed first"],
] as const;

/**
 * Returns the query of the items that match a filter, in its order, for
 * `GET /v1/watchlists/{id}/items`.
 */
export function queryOf(filter: ItemFilter, list: Pick<Watchlist, "last_run_at">) {
  const [sort, order] = filter.order.split(" ");
  return {
    state: filter.state,
    changed_since: sinceOf(filter, list),
    search: filter.search.trim().slice(0, searchLengthMax),
    ...(filter.order === allItems.order ? {} : { sort, order }),
  };
}

const searchLengthMax = 100;

/**
 * Returns the time to send to the service as `changed_since`; undefined for any time. `lastRun`
 * becomes the start of the last run.
 */
const sinceOf = (
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
