import type { Item } from "./item.ts";
import type { StoredPage } from "./page.ts";
import type { PageStore } from "./page-store.ts";

/** Which items to read: those after an id, on pages that may hold what is looked for. */
export interface ItemSearch {
  /** Exclusive; it need not be an id of the list. */
  readonly after?: string | undefined;
  /** False for a page whose counts and times say that none of its items is wanted. */
  readonly mayHold?: (page: StoredPage) => boolean;
}

/**
 * The items of a list in id order, each once, read page by page as they are taken. An item that is
 * on the list all the while is never missed, however pages are split and merged meanwhile.
 */
export async function* readItems(
  pages: Pick<PageStore, "pages">,
  watchlistId: string,
  { after, mayHold = () => true }: ItemSearch = {},
): AsyncGenerator<Item> {
  let last = after ?? "";
  for await (const page of pages.pages(watchlistId, after === undefined ? {} : { from: after })) {
    if (!mayHold(page)) continue;
    for (const item of page.items) {
      if (item.id <= last) continue;
      last = item.id;
      yield item;
    }
  }
}
