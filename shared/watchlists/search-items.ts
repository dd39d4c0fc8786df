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

/** The result of a search. */
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
const watchlistsAtOnce = 16;
/** Matches a search that may be the first characters of an item ID, and is long enough for that. */
const prefixForm = /^[a-z0-9]{3,15}$/i;

type Pages = Pick<PageStore, "details" | "detailsOf" | "pages">;

/**
 * Searches the items of several watchlists, and returns at most `limit` items:
 * 1. First, the items whose ID begins with the search, if the search has 3 to 15 letters and
 *    digits. Reads only the pages that can contain these IDs.
 * 2. Then, the items whose ID, label and title together contain all words of the search. Reads the
 *    details of up to 16 watchlists at a time, until the result is full.
 * An item without details matches only by the start of its ID.
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

/** Finds at most `limit` items whose ID begins with the search. */
async function itemsWithPrefix(
  { watchlists, search, limit }: Search,
  pages: Pages,
): Promise<readonly FoundItem[]> {
  const idPrefix = search.toUpperCase();
  const foundItems = await inParallel(watchlists, watchlistsAtOnce, async (watchlist) => {
    const ids: string[] = [];
    for await (const { id } of readItems(pages, watchlist.id, { idPrefix })) {
      ids.push(id);
      if (ids.length === limit) break;
    }
    return ids.map((id) => ({ watchlist, id }));
  });
  const first = foundItems.flat().slice(0, limit);
  const ofList = Map.groupBy(first, ({ watchlist }) => watchlist);
  const items = await inParallel([...ofList], watchlistsAtOnce, async ([watchlist, own]) => {
    const ids = own.map(({ id }) => id);
    const details = new Map((await pages.detailsOf(watchlist.id, ids)).map((one) => [one.id, one]));
    return ids.map((id) => ({ watchlist, id, details: details.get(id) }));
  });
  return items.flat();
}

/**
 * Number of watchlists that are read before all others. These few often contain enough matching
 * items, so that the other watchlists need not be read.
 */
const firstWatchlists = 4;

/**
 * Finds items that contain all words of the search and are not in `known`. Stops when `known` and
 * the found items together are `limit` items.
 */
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
  await inParallel(watchlists.slice(0, firstWatchlists), firstWatchlists, findIn);
  await inParallel(watchlists.slice(firstWatchlists), watchlistsAtOnce, findIn);
  return foundItems;
}
