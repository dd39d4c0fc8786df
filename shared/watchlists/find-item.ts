import type { Item } from "./item.ts";
import type { PageStore } from "./page-store.ts";

/**
 * Finds an item of a watchlist by its normalized ID. Returns undefined if the watchlist does not
 * have the item. Reads one page, because each ID belongs to exactly one page.
 */
export async function findItem(
  watchlistId: string,
  id: string,
  store: Pick<PageStore, "pages">,
): Promise<Item | undefined> {
  for await (const page of store.pages(watchlistId, { from: id, to: id })) {
    return page.items.find((item) => item.id === id);
  }
  return undefined;
}
