import type { Item } from "./item.ts";
import type { PageStore } from "./page-store.ts";

/**
 * Finds an item of a list by its id, as ids are stored; undefined when the list does not hold it.
 * Reads one stored page: each id belongs to exactly one.
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
