import { type IgnoredPart, readQuery } from "../../shell/page-query.ts";

/** The orders of the items, as `sort` and `order` of the API joined by a space. */
export const stockOrders = [
  ["changed_at desc", "Last changed first"],
  ["changed_at asc", "Longest unchanged first"],
  ["name asc", "Name, A to Z"],
  ["name desc", "Name, Z to A"],
  ["price desc", "Highest last price first"],
  ["price asc", "Lowest last price first"],
] as const;

/** The filters of the page. An empty string means no filter. */
export interface StockFilter {
  readonly watchlist: string;
  /** The text as the user typed it. */
  readonly search: string;
  /** One of `stockOrders`. */
  readonly order: string;
}

const noFilter: StockFilter = { watchlist: "", search: "", order: "changed_at desc" };

const form: Readonly<Record<keyof StockFilter, readonly string[] | undefined>> = {
  watchlist: undefined,
  search: undefined,
  order: stockOrders.map(([order]) => order),
};

/**
 * Parses the filters in the address of the page. `ignored` contains the parts of the address that
 * the page does not apply.
 */
export function readFilter(query: URLSearchParams): {
  readonly filter: StockFilter;
  readonly ignored: readonly IgnoredPart[];
} {
  const { values, ignored } = readQuery(query, form);
  return { filter: { ...noFilter, ...values }, ignored };
}

/**
 * Returns the query parameters of the page's address for a filter. The default order is an empty
 * string.
 */
export const placeOf = ({ watchlist, search, order }: StockFilter) => ({
  watchlist,
  search,
  order: order === noFilter.order ? "" : order,
});

/** Minimum and maximum length of a search. The service refuses any other length. */
const [searchMin, searchMax] = [2, 100];

/**
 * Returns the query parameters of `GET /v1/watchlists/items` for the items that are out of stock
 * and match the filters, in the order that the filters select. Ignores a search that is too short
 * for the service.
 */
export function queryOf(filter: StockFilter) {
  const [sort, order] = filter.order.split(" ");
  const search = filter.search.trim().slice(0, searchMax);
  return {
    stock: "out",
    watchlist_id: filter.watchlist,
    search: search.length < searchMin ? "" : search,
    sort,
    order,
  };
}
