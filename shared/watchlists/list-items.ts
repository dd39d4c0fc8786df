import type { Item, ItemState } from "./item.ts";
import { maxChangedAt } from "./page.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

export interface ItemQuery {
  readonly limit: number;
  readonly startingAfter: string | undefined;
  readonly state: ItemState | undefined;
  /** Inclusive; compared with the later of the last change and the delisting. */
  readonly changedSince: Date | undefined;
}

/** One page of a list's items, in id order. */
export async function listItems(
  watchlistId: string,
  { limit, startingAfter, state, changedSince }: ItemQuery,
  watchlists: WatchlistStore,
): Promise<{ readonly items: readonly Item[]; readonly hasMore: boolean }> {
  const items: Item[] = [];
  const since = changedSince?.toISOString();
  const range = startingAfter === undefined ? {} : { from: startingAfter };
  for await (const page of watchlists.pages(watchlistId, range)) {
    for (const item of page.items) {
      if (startingAfter !== undefined && item.id <= startingAfter) continue;
      if (state !== undefined && item.state !== state) continue;
      if (since !== undefined && (maxChangedAt([item]) ?? "") < since) continue;
      if (items.length === limit) return { items, hasMore: true };
      items.push(item);
    }
  }
  return { items, hasMore: false };
}
