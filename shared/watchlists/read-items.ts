import { afterEveryId } from "./id-order.ts";
import type { Item } from "./item.ts";
import type { StoredPage } from "./page.ts";
import type { IdRange, PageStore } from "./page-store.ts";

/** Options that select items. */
export interface ItemSearch {
  /** Selects only items with a higher ID than this one. The watchlist need not contain this ID. */
  readonly after?: string | undefined;
  /** Selects only items whose ID begins with this prefix. */
  readonly idPrefix?: string | undefined;
  /**
   * Returns false if a page cannot contain an item that the caller needs. Such a page is skipped
   * without decoding it. Default: skips no page.
   */
  readonly mayHold?: (page: StoredPage) => boolean;
}

/**
 * Yields the selected items of a watchlist in ID order, each once. Reads page by page. Every item
 * that stays on the watchlist during the whole iteration is included, even if pages are split or
 * merged during the iteration.
 */
export async function* readItems(
  pages: Pick<PageStore, "pages">,
  watchlistId: string,
  { after, idPrefix, mayHold = () => true }: ItemSearch = {},
): AsyncGenerator<Item> {
  let last = after ?? "";
  for await (const page of pages.pages(watchlistId, rangeOf(after, idPrefix))) {
    if (!mayHold(page) || (idPrefix !== undefined && !page.mayHaveId(idPrefix))) continue;
    for (const item of page.items) {
      if (item.id <= last || (idPrefix !== undefined && !item.id.startsWith(idPrefix))) continue;
      last = item.id;
      yield item;
    }
  }
}

/** Returns the range of IDs that can match both filters. */
function rangeOf(after: string | undefined, idPrefix: string | undefined): IdRange {
  if (idPrefix === undefined) return after === undefined ? {} : { from: after };
  const from = after !== undefined && after > idPrefix ? after : idPrefix;
  return { from, to: idPrefix + afterEveryId };
}
