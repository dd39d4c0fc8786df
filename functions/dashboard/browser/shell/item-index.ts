import { useEffect, useRef, useState } from "preact/hooks";
import { searchedId, wordsOf } from "../../../../shared/watchlists/search-words.ts";
import type { ApiClient } from "../api/client.ts";
import type { FoundItem, List } from "../api/resources.ts";
import { useApi } from "../api/session.ts";
import { readWatchlists } from "../api/watchlists.ts";

/** An item of the index. */
export interface IndexedItem {
  readonly id: string;
  readonly watchlistId: string;
  readonly watchlistName: string;
  readonly label: string | null;
  readonly title: string | null;
  /** The ID, the label and the title in lower case. */
  readonly text: string;
}

/** The largest number of items in a page of the API. */
const pageSize = 5_000;
/**
 * The maximum number of items in the index, because more items would need too much memory. If an
 * account has more, only the service searches them.
 */
const itemsMax = 200_000;
/**
 * Delay in milliseconds before the first load, so that the page that is shown sends its requests
 * first.
 */
const delayMs = 1_000;
/** Age in milliseconds after which the index is loaded again when the palette opens. */
const staleMs = 60_000;

/**
 * Loads the IDs, labels and titles of all items soon after the user signed in, so that a search
 * shows results without a request. When the palette opens, loads them again if the last load failed
 * or ended more than a minute ago. Never starts a load while another is in progress. Returns
 * undefined until the items are loaded, if there are more than 200,000, or if no load has
 * succeeded.
 */
export function useItemIndex(isPaletteOpen: boolean): readonly IndexedItem[] | undefined {
  const api = useApi();
  const [items, setItems] = useState<readonly IndexedItem[]>();
  const [turn, setTurn] = useState(0);
  /** The time from which the index is loaded again; undefined while a load is in progress. */
  const staleAt = useRef<number>(undefined);
  useEffect(() => {
    if (!isPaletteOpen || staleAt.current === undefined || Date.now() < staleAt.current) return;
    staleAt.current = undefined;
    setTurn((before) => before + 1);
  }, [isPaletteOpen]);
  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    const end = (age: number): void => {
      if (!signal.aborted) staleAt.current = Date.now() + age;
    };
    const start = (): void => {
      readIndex(api, signal).then(
        (loaded) => {
          if (!signal.aborted) setItems(loaded);
          end(staleMs);
        },
        // After a failed load, the palette keeps the items of the last successful load. The next
        // opening of the palette starts another load.
        () => end(0),
      );
    };
    const timer = setTimeout(start, turn === 0 ? delayMs : 0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [api, turn]);
  return items;
}

/** Reads the items of all watchlists. Returns undefined if there are more than `itemsMax`. */
async function readIndex(
  api: ApiClient,
  signal: AbortSignal,
): Promise<readonly IndexedItem[] | undefined> {
  const lists = await readWatchlists(api, signal);
  const count = lists.data.reduce((sum, { item_count: items }) => sum + items, 0);
  if (count > itemsMax) return undefined;
  const items: IndexedItem[] = [];
  let cursor: string | null | undefined;
  do {
    const page: List<FoundItem> = await api.get("watchlists/items", {
      signal,
      query: { limit: pageSize, starting_after: cursor ?? undefined },
    });
    items.push(...page.data.map(indexedItem));
    cursor = page.next_starting_after;
  } while (cursor != null);
  return items;
}

/** Converts an item of the API to an item of the index. */
export const indexedItem = ({
  id,
  label,
  title,
  watchlist_id: watchlistId,
  watchlist_name: watchlistName,
}: FoundItem): IndexedItem => ({
  id,
  watchlistId,
  watchlistName,
  label,
  title,
  text: [id, label, title].join("\n").toLowerCase(),
});

/** The items that a search found. */
export interface FoundItems {
  /** The best matches. */
  readonly items: readonly IndexedItem[];
  /**
   * The number of all matches; undefined if the service found more than it returned and did not
   * count them.
   */
  readonly total: number | undefined;
}

/**
 * Finds items as the service does: first the items whose ID begins with the search, then those
 * whose ID, label and title contain all words of the search. Returns up to `max` items. In the
 * result, `total` counts all matches.
 */
export function findItems(
  items: readonly IndexedItem[],
  search: string,
  max: number,
): FoundItems & { readonly total: number } {
  const start = searchedId(search).toLowerCase();
  const words = wordsOf(search);
  const byId: IndexedItem[] = [];
  const byText: IndexedItem[] = [];
  let total = 0;
  for (const item of items) {
    const isById = item.text.startsWith(start);
    if (!isById && !words.every((word) => item.text.includes(word))) continue;
    total += 1;
    const found = isById ? byId : byText;
    if (found.length < max) found.push(item);
  }
  return { items: [...byId, ...byText].slice(0, max), total };
}

const keyOf = ({ watchlistId, id }: IndexedItem): string => `${watchlistId} ${id}`;

/**
 * Merges what the index and the service found for one search, and returns up to `max` items. The
 * service's result is newer: it adds items and replaces labels and titles. If the service counted
 * all of its matches, an item that only the index found was removed from its watchlist, and is left
 * out. Items without a label and a title stay: the service finds them only if the search is at
 * least the first three characters of their IDs.
 * @param known the result of the index; undefined if there is no index
 * @param answer the result of the service; undefined until the service has responded
 */
export function mergeItems(
  known: FoundItems | undefined,
  answer: FoundItems | undefined,
  max: number,
): FoundItems {
  if (answer === undefined) return known ?? { items: [], total: 0 };
  if (known === undefined) return answer;
  const answered = new Map(answer.items.map((item) => [keyOf(item), item]));
  const isComplete = answer.total !== undefined;
  const kept = known.items.flatMap((item) => {
    const newer = answered.get(keyOf(item));
    const mayStay = !isComplete || (item.label === null && item.title === null);
    return newer ? [newer] : mayStay ? [item] : [];
  });
  const keptKeys = new Set(kept.map(keyOf));
  const added = answer.items.filter((item) => !keptKeys.has(keyOf(item)));
  const items = [...kept, ...added];
  const total = isComplete ? items.length : Math.max(known.total ?? 0, items.length);
  return { items: items.slice(0, max), total };
}
