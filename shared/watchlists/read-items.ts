import type { Item } from "./item.ts";
import type { StoredPage } from "./page.ts";
import type { IdRange, PageStore } from "./page-store.ts";

/** Which items to read: those after an id, on pages that may hold what is looked for. */
export interface ItemSearch {
  /** Exclusive; it need not be an id of the list. */
  readonly after?: string | undefined;
  /** Only items whose id begins so. */
  readonly idPrefix?: string | undefined;
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
  { after, idPrefix, mayHold = () => true }: ItemSearch = {},
): AsyncGenerator<Item> {
  let last = after ?? "";
  for await (const page of pages.pages(watchlistId, rangeOf(after, idPrefix))) {
    if (!mayHold(page)) continue;
    for (const item of page.items) {
      if (item.id <= last || (idPrefix !== undefined && !item.id.startsWith(idPrefix))) continue;
      last = item.id;
      yield item;
    }
  }
}

/** Sorts behind every letter and digit, of which ids are made. */
const behindIds = "~";

function rangeOf(after: string | undefined, idPrefix: string | undefined): IdRange {
  if (idPrefix === undefined) return after === undefined ? {} : { from: after };
  const from = after !== undefined && after > idPrefix ? after : idPrefix;
  return { from, to: idPrefix + behindIds };
}
