import type { Item, ItemState } from "./item.ts";
import { maxChangedAt } from "./page.ts";
import type { PageStore } from "./page-store.ts";
import { readItems } from "./read-items.ts";

export interface ItemQuery {
  readonly limit: number;
  /** Exclusive. Need not be an ID of the watchlist. */
  readonly startingAfter: string | undefined;
  readonly state: ItemState | undefined;
  /** Only items whose normalised ID begins with this prefix. */
  readonly idPrefix?: string | undefined;
  /** Inclusive. Compared with the later of the item's last change and its delisting. */
  readonly changedSince: Date | undefined;
}

/** Lists items of a watchlist in ID order. Does not decode stored pages without a matching item. */
export async function listItems(
  watchlistId: string,
  { limit, startingAfter, state, idPrefix, changedSince }: ItemQuery,
  pages: Pick<PageStore, "pages">,
): Promise<{ readonly items: readonly Item[]; readonly hasMore: boolean }> {
  const since = changedSince?.toISOString();
  const isIn = (at: string | null): boolean => since === undefined || (at ?? "") >= since;
  const found = readItems(pages, watchlistId, {
    after: startingAfter,
    idPrefix,
    mayHold: (page) => (state === undefined || page.counts[state] > 0) && isIn(page.maxChangedAt),
  });
  const items: Item[] = [];
  for await (const item of found) {
    if ((state !== undefined && item.state !== state) || !isIn(maxChangedAt([item]))) continue;
    if (items.length === limit) return { items, hasMore: true };
    items.push(item);
  }
  return { items, hasMore: false };
}
