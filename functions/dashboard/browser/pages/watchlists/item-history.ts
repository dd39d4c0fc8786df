import type { HistoryPoint, List, Watchlist } from "../../api/resources.ts";
import type { ApiClient } from "../../api/client.ts";

/** The largest number of history points in a page of the API. */
const pageSize = 1_000;
/**
 * The number of pages that are loaded. A chart cannot show more changes than these pages contain.
 */
const pagesMax = 5;

/** The stored changes of an item, oldest first. */
export interface ItemHistory {
  readonly points: readonly HistoryPoint[];
  /** True if older changes were not loaded. */
  readonly isCut: boolean;
}

/**
 * Loads the newest stored changes of an item: at most five pages of 1,000 history points.
 * @throws ApiError if the service refuses a request or does not respond
 */
export async function loadHistory(
  api: ApiClient,
  { listId, itemId }: { readonly listId: Watchlist["id"]; readonly itemId: string },
  signal: AbortSignal,
): Promise<ItemHistory> {
  const points: HistoryPoint[] = [];
  let isCut = true;
  for (let page = 0; page < pagesMax && isCut; page += 1) {
    const { data, has_more: hasMore } = await api.get<List<HistoryPoint>>(
      `watchlists/${listId}/items/${itemId}/history`,
      { signal, query: { limit: pageSize, starting_after: points.at(-1)?.id } },
    );
    points.push(...data);
    isCut = hasMore;
  }
  return { points: points.toReversed(), isCut };
}
