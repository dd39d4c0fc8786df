import { useEffect, useRef, useState } from "preact/hooks";
import type { ApiClient } from "../api/client.ts";
import type { FoundItem, List, Watchlist } from "../api/resources.ts";
import { useApi } from "../api/session.ts";

/** An item of the index. */
export interface IndexedItem {
  readonly id: string;
  readonly watchlistId: string;
  readonly watchlistName: string;
  /** The label, or else the title, or else the ID. */
  readonly name: string;
  /** The ID, the label and the title in lower case. */
  readonly text: string;
}

/** The largest page that the API returns. */
const pageSize = 5_000;
/** More items would need too much memory. The service then searches them. */
const itemsMax = 200_000;
/** The maximum number of watchlists in an account. */
const watchlistsMax = 100;
/** The requests of the first view come first. */
const delayMs = 1_000;
/** Age after which the index is loaded again when the palette opens. */
const staleMs = 60_000;

/**
 * Loads the IDs, labels and titles of all items soon after the user signed in, so that a search
 * needs no request. Loads them again when the palette opens and they are older than a minute.
 * Undefined until they are loaded, if they are too many, or if no load succeeded.
 */
export function useItemIndex(isPaletteOpen: boolean): readonly IndexedItem[] | undefined {
  const api = useApi();
  const [items, setItems] = useState<readonly IndexedItem[]>();
  const [turn, setTurn] = useState(0);
  const startedAt = useRef(0);
  useEffect(() => {
    if (isPaletteOpen && Date.now() - startedAt.current > staleMs) setTurn((before) => before + 1);
  }, [isPaletteOpen]);
  useEffect(() => {
    const controller = new AbortController();
    const start = (): void => {
      startedAt.current = Date.now();
      // Without an index, the palette lets the service search.
      readIndex(api, controller.signal).then(setItems, () => {});
    };
    const timer = setTimeout(start, turn === 0 ? delayMs : 0);
    return () => {
      clearTimeout(timer);
      controller.abort();
    };
  }, [api, turn]);
  return items;
}

/** Reads the items of all watchlists; undefined if they are too many. */
async function readIndex(
  api: ApiClient,
  signal: AbortSignal,
): Promise<readonly IndexedItem[] | undefined> {
  const lists = await api.get<List<Watchlist>>("watchlists", {
    signal,
    query: { limit: watchlistsMax },
  });
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
  name: label ?? title ?? id,
  text: [id, label, title].join("\n").toLowerCase(),
});

/** The letter before the numbers of some stores. The stored IDs lack it. */
const letterPrefix = /^a-(?=\d)/;

/**
 * Finds up to `max` items as the service does: first those whose ID begins with the search, then
 * those whose ID, label or title contain all of its words.
 */
export function findItems(
  items: readonly IndexedItem[],
  search: string,
  max: number,
): readonly IndexedItem[] {
  const wanted = search.trim().toLowerCase().replace(letterPrefix, "");
  const words = wanted.split(/\s+/);
  const byId: IndexedItem[] = [];
  const byText: IndexedItem[] = [];
  for (const item of items) {
    if (item.text.startsWith(wanted)) byId.push(item);
    else if (byText.length < max && words.every((word) => item.text.includes(word)))
      byText.push(item);
    if (byId.length === max) break;
  }
  return [...byId, ...byText].slice(0, max);
}
