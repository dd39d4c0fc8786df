import { inParallel } from "../base/in-parallel.ts";
import { searchOf } from "./arrange-items.ts";
import type { ItemDetails } from "./item-details.ts";
import type { PageStore } from "./page-store.ts";
import { readItems } from "./read-items.ts";
import { searchedId, wordsOf } from "./search-words.ts";
import type { Watchlist } from "./watchlist.ts";

/** An item in the result of a search over all watchlists. */
export interface FoundItem {
  readonly watchlist: Watchlist;
  readonly id: string;
  readonly details: ItemDetails | undefined;
}

export interface FoundItems {
  readonly items: readonly FoundItem[];
  /** True if more items may match. */
  readonly hasMore: boolean;
}

interface Search {
  readonly watchlists: readonly Watchlist[];
  /** The text as the client sent it. */
  readonly search: string;
  readonly limit: number;
}

/** Number of watchlists that are read at the same time. */
const listsAtOnce = 16;
/** Matches a search that may be the first characters of an item ID. */
const prefixForm = /^[a-z0-9]{3,15}$/i;

type Pages = Pick<PageStore, "details" | "detailsOf" | "pages">;

/**
 * Searches the items of several watchlists. The first items of the result are those whose ID begins
 * with the search. To find them, reads only the pages that can contain these IDs. If there are
 * fewer than `limit` such items, adds the items whose ID, label and title together contain all
 * words of the search. To find them, reads the details of up to 16 watchlists at a time, until the
 * result has `limit` items. An item without details matches only by the start of its ID.
 */
export async function searchItems(
  { watchlists, search, limit }: Search,
  pages: Pages,
): Promise<FoundItems> {
  const wanted = { watchlists, search: searchedId(search), limit: limit + 1 };
  const byId = prefixForm.test(wanted.search) ? await itemsWithPrefix(wanted, pages) : [];
  const foundItems = byId.length > limit ? byId : [...byId, ...(await byText(wanted, byId, pages))];
  return { items: foundItems.slice(0, limit), hasMore: foundItems.length > limit };
}

async function itemsWithPrefix(
  { watchlists, search, limit }: Search,
  pages: Pages,
): Promise<readonly FoundItem[]> {
  const idPrefix = search.toUpperCase();
  const foundItems = await inParallel(watchlists, listsAtOnce, async (watchlist) => {
    const ids: string[] = [];
    for await (const { id } of readItems(pages, watchlist.id, { idPrefix })) {
      ids.push(id);
      if (ids.length === limit) break;
    }
    return ids.map((id) => ({ watchlist, id }));
  });
  const first = foundItems.flat().slice(0, limit);
  const ofList = Map.groupBy(first, ({ watchlist }) => watchlist);
  const items = await inParallel([...ofList], listsAtOnce, async ([watchlist, own]) => {
    const ids = own.map(({ id }) => id);
    const details = new Map((await pages.detailsOf(watchlist.id, ids)).map((one) => [one.id, one]));
    return ids.map((id) => ({ watchlist, id, details: details.get(id) }));
  });
  return items.flat();
}

/**
 * Number of watchlists that are read first. A few watchlists are often enough, because the words of
 * a search often match many items of a watchlist.
 */
const firstLists = 4;

async function byText(
  { watchlists, search, limit }: Search,
  known: readonly FoundItem[],
  pages: Pick<PageStore, "details">,
): Promise<readonly FoundItem[]> {
  const isMatch = searchOf(search);
  const words = wordsOf(search);
  const keys = new Set(known.map(({ watchlist, id }) => `${watchlist.id} ${id}`));
  const foundItems: FoundItem[] = [];
  const findIn = async (watchlist: Watchlist): Promise<void> => {
    if (keys.size >= limit) return;
    for (const [id, details] of await pages.details(watchlist.id, { words })) {
      const key = `${watchlist.id} ${id}`;
      if (keys.has(key) || !isMatch(id, details)) continue;
      if (keys.size >= limit) return;
      keys.add(key);
      foundItems.push({ watchlist, id, details });
    }
  };
  await inParallel(watchlists.slice(0, firstLists), firstLists, findIn);
  await inParallel(watchlists.slice(firstLists), listsAtOnce, findIn);
  return foundItems;
}
