import type { ApiClient } from "../../api/client.ts";
import type { List, Watchlist, WatchlistItem } from "../../api/resources.ts";
import { type Pages, usePages } from "../../api/use-pages.ts";
import { useRefreshOnChange } from "../../api/use-refresh-on-change.ts";
import { type ItemFilter, queryOf } from "./item-filter.ts";
import { useDebounced } from "../../api/use-debounced.ts";

/**
 * The numbers of items in the first page and in later pages. The first page is small, so that it
 * loads fast. Later pages are large, because the end of each run reloads all pages.
 */
const pageSizes = { first: 200, further: 500 };
/** The largest number of items in a page of the API. */
const pageMax = 1_000;

interface ItemsRequest {
  readonly list: Watchlist;
  readonly filter: ItemFilter;
  /** The time at which the time spans of the filter end. */
  readonly now: Date;
}

/**
 * Loads the items that match a filter, page by page. Loads them again when a run ends or the
 * number of items changes.
 */
export function useItems({ list, filter, now }: ItemsRequest): Pages<WatchlistItem> {
  const search = useDebounced(filter.search.trim());
  const query = queryOf({ ...filter, search }, { list, now });
  const pages = usePages<WatchlistItem>(
    (api, cursor, signal) =>
      api.get<List<WatchlistItem>>(`watchlists/${list.id}/items`, {
        signal,
        query: {
          limit: cursor === undefined ? pageSizes.first : pageSizes.further,
          starting_after: cursor,
          ...query,
        },
      }),
    [list.id, JSON.stringify(query)],
  );
  useRefreshOnChange(pages.refresh, `${list.run_count} ${list.last_run_status} ${list.item_count}`);
  return pages;
}

/**
 * Loads all items that match a filter, in the order that the filter selects.
 * @throws ApiError if the service refuses a request or does not respond
 */
export async function loadItems(
  api: ApiClient,
  { list, filter, now }: ItemsRequest,
): Promise<readonly WatchlistItem[]> {
  const items: WatchlistItem[] = [];
  for (let hasMore = true; hasMore;) {
    const page = await api.get<List<WatchlistItem>>(`watchlists/${list.id}/items`, {
      query: {
        limit: pageMax,
        starting_after: items.at(-1)?.id,
        ...queryOf(filter, { list, now }),
      },
    });
    items.push(...page.data);
    hasMore = page.has_more;
  }
  return items;
}
