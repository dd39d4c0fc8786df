import type { Watchlist } from "../../api/resources.ts";
import { type IgnoredPart, readQuery } from "../../shell/page-query.ts";

/** The filters and the order of a watchlist's items. An empty string means no filter. */
export interface ItemFilter {
  /** One of `itemStates`. */
  readonly state: string;
  /**
   * Selects items that changed since this time: a name of `changeTimes`, `lastRun`, or an ISO 8601
   * time.
   */
  readonly changed: string;
  /** The text as the user typed it. */
  readonly search: string;
  /** One of `itemOrders`. */
  readonly order: string;
}

/** The filter that selects all items, in the order of their IDs. */
export const allItems: ItemFilter = { state: "", changed: "", search: "", order: "id asc" };

/** The states with their labels. */
export const itemStates = [
  ["", "All"],
  ["new", "New"],
  ["active", "Active"],
  ["delisted", "Delisted"],
] as const;

/** The value of `changed` for "since the start of the newest run". */
export const lastRun = "run";

const hourMs = 3_600_000;

/** Time spans before now, with their labels and their lengths in milliseconds. */
export const changeTimes = [
  ["hour", "Changed in the last hour", hourMs],
  ["day", "Changed in the last 24 hours", 24 * hourMs],
  ["week", "Changed in the last 7 days", 7 * 24 * hourMs],
] as const;

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

const form: Readonly<Record<keyof ItemFilter, readonly string[] | undefined>> = {
  state: itemStates.map(([state]) => state),
  changed: undefined,
  search: undefined,
  order: itemOrders.map(([order]) => order),
};

/** Returns true if `changed` is an ISO 8601 time; false for the name of a time span. */
export const isTime = (changed: string): boolean =>
  /^\d{4}-/.test(changed) && !Number.isNaN(Date.parse(changed));

const changedNames: readonly string[] = [lastRun, ...changeTimes.map(([name]) => name)];

/**
 * Parses the address of a watchlist's page: the tab, and the filter of the items. `ignored`
 * contains the parts of the address that the page does not apply.
 * @param tabs the valid names of tabs
 */
export function readPlace(
  query: URLSearchParams,
  tabs: readonly string[],
): {
  readonly tab: string | undefined;
  readonly filter: ItemFilter;
  readonly ignored: readonly IgnoredPart[];
} {
  const { values, ignored } = readQuery(query, { tab: tabs, ...form });
  const { tab, ...wanted } = values;
  const { changed = "" } = wanted;
  const filter = { ...allItems, ...wanted };
  if (changed === "" || changedNames.includes(changed) || isTime(changed)) {
    return { tab, filter, ignored };
  }
  const reason = `the valid values are ${changedNames.join(", ")} and a time such as 2026-11-01T08:00:00Z`;
  const unknown = { name: "changed", value: changed, reason };
  return { tab, filter: { ...filter, changed: "" }, ignored: [...ignored, unknown] };
}

/**
 * Returns the query parameters of the page's address for a filter. The default order is an empty
 * string.
 */
export const placeOf = (filter: ItemFilter): Readonly<Record<string, string>> => ({
  ...filter,
  order: filter.order === allItems.order ? "" : filter.order,
});

interface Since {
  readonly list: Pick<Watchlist, "last_run_at">;
  /** The time at which the time spans end. */
  readonly now: Date;
}

/**
 * Returns the query parameters of `GET /v1/watchlists/{id}/items` for the items that match a
 * filter, in the order that the filter selects.
 */
export function queryOf(filter: ItemFilter, since: Since) {
  const [sort, order] = filter.order.split(" ");
  return {
    state: filter.state,
    changed_since: sinceOf(filter, since),
    search: filter.search.trim().slice(0, searchLengthMax),
    ...(filter.order === allItems.order ? {} : { sort, order }),
  };
}

const searchLengthMax = 100;

/**
 * Returns the time to send to the service as `changed_since`. Returns undefined if the filter does
 * not select by time, or if it selects by the newest run and the watchlist has never run.
 */
function sinceOf({ changed }: ItemFilter, { list, now }: Since): string | undefined {
  if (changed === "") return undefined;
  if (changed === lastRun) return list.last_run_at ?? undefined;
  const length = changeTimes.find(([name]) => name === changed)?.[2];
  return length === undefined ? changed : new Date(now.getTime() - length).toISOString();
}
