import type { Item, ItemState } from "./item.ts";
import { maxChangedAt } from "./page.ts";
import type { PageStore } from "./page-store.ts";
import { readItems } from "./read-items.ts";

export interface ItemQuery {
  readonly limit: number;
  /** Exclusive; it need not be on the list. */
  readonly startingAfter: string | undefined;
  readonly state: ItemState | undefined;
  /** Only items whose id begins so, as ids are stored. */
  readonly idPrefix?: string | undefined;
  /** Inclusive; compared with the later of the last change and the delisting. */
  readonly changedSince: Date | undefined;
}

/** One page of a list's items, in id order. Stored pages without a wanted item stay packed. */
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
