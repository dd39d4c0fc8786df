import type { Item, ItemState } from "./item.ts";
import { maxChangedAt } from "./page.ts";
import type { PageStore } from "./page-store.ts";
import { readItems } from "./read-items.ts";

export interface ItemQuery {
  readonly limit: number;
  /** Lists only items with a higher ID than this, which need not be on the watchlist. */
  readonly startingAfter: string | undefined;
  readonly state: ItemState | undefined;
  /** Lists only items whose normalized ID begins with this prefix. */
  readonly idPrefix?: string | undefined;
  /** Lists only items that changed or were delisted at this time or later. Undefined: all items. */
  readonly changedSince: Date | undefined;
}

/**
 * Lists the first `limit` matching items of a watchlist in ID order. `hasMore` is true if more
 * items match. Decodes only pages that may contain a match.
 */
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
