import { type Item } from "../watchlists/item.ts";
import { toColumns } from "../watchlists/item-columns.ts";
import { countByState } from "../watchlists/item-counts.ts";
import { maxChangedAt, mergeItems, type StoredPage } from "../watchlists/page.ts";
import type { PageStore } from "../watchlists/page-store.ts";

/** A page in memory with the items that runs in memory read and change. */
export interface MemoryPages {
  /** A store with this one page. */
  readonly pages: PageStore;
  /** Returns the current items, sorted by ID. */
  readonly items: () => readonly Item[];
  /** Adds items to the page. An item replaces the item with the same ID. */
  readonly put: (items: readonly Item[]) => void;
}

/**
 * Creates a page store in memory, which has no items at first. Changes of item details are not
 * stored.
 * @param stored the real page store, from which only item details are read
 */
export function memoryPages(stored: Pick<PageStore, "details">): MemoryPages {
  let items: readonly Item[] = [];
  let version = 1;
  const page = (): StoredPage => ({
    lowest: "",
    upper: null,
    version,
    counts: countByState(items),
    maxChangedAt: maxChangedAt(items),
    heads: items,
    items,
    get columns() {
      return toColumns(items);
    },
    select: (isWanted) => items.filter(({ id }) => isWanted(id)),
    mayHaveId: () => true,
    bytes: 0,
    secondRow: null,
  });
  return {
    items: () => items,
    put(more) {
      if (more.length === 0) return;
      items = mergeItems(items, more);
    },
    pages: {
      async *pages() {
        yield page();
      },
      async replace(_watchlist, [before], after) {
        if (before?.version !== version) return "stale";
        version += 1;
        items = after;
        return "replaced";
      },
      async replaceItems(_watchlist, before, changed) {
        if (before.version !== version) return "stale";
        version += 1;
        items = mergeItems(items, changed);
        return "replaced";
      },
      details: (...query) => stored.details(...query),
      async detailsOf(watchlistId, ids) {
        const range = { from: ids[0] ?? "", to: ids.at(-1) ?? "" };
        const known = await stored.details(watchlistId, range);
        return ids.flatMap((id) => known.get(id) ?? []);
      },
      async changeDetails({ watchlistId }, { ids, change }) {
        const range = { from: ids[0] ?? "", to: ids.at(-1) ?? "" };
        const known = await stored.details(watchlistId, range);
        for (const id of ids) change(known.get(id), id);
        return "done";
      },
      createDetails: async () => {},
      create: async () => {},
      removeAll: async () => {},
    },
  };
}
