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
  const isWanted = wanted({ startingAfter, state, changedSince });
  const range = startingAfter === undefined ? {} : { from: startingAfter };
  for await (const page of watchlists.pages(watchlistId, range)) {
    for (const item of page.items) {
      if (!isWanted(item)) continue;
      if (items.length === limit) return { items, hasMore: true };
      items.push(item);
    }
  }
  return { items, hasMore: false };
}

function wanted({
  startingAfter,
  state,
  changedSince,
}: Omit<ItemQuery, "limit">): (item: Item) => boolean {
  const since = changedSince?.toISOString();
  return (item) =>
    (startingAfter === undefined || item.id > startingAfter) &&
    (state === undefined || item.state === state) &&
    (since === undefined || (maxChangedAt([item]) ?? "") >= since);
}
