import { useMemo } from "preact/hooks";
import type { ApiError } from "../api/api-error.ts";
import type { ApiClient } from "../api/client.ts";
import type { FoundItem, List, Watchlist } from "../api/resources.ts";
import { useRefusal } from "../api/session.ts";
import { useQuery } from "../api/use-query.ts";
import { useDebounced } from "../api/use-debounced.ts";
import { readWatchlists } from "../api/watchlists.ts";
import {
  findItems,
  type FoundItems,
  type IndexedItem,
  indexedItem,
  mergeItems,
} from "./item-index.ts";
import { linkTo } from "./router.ts";
import { sections } from "./sections.ts";

/** An entry of the command palette: a page, a watchlist or an item that it can open. */
export interface PaletteEntry {
  readonly link: string;
  readonly kind: "Page" | "Watchlist" | "Item";
  readonly name: string;
  /** Further text, which the search also reads. */
  readonly note: string;
}

const pages: readonly PaletteEntry[] = sections.map(({ section, label }) => ({
  link: linkTo(`/${section}`),
  kind: "Page",
  name: label,
  note: "",
}));
const newWatchlist: PaletteEntry = {
  link: linkTo("/watchlists/new"),
  kind: "Page",
  name: "New watchlist",
  note: "",
};

const shownMax = 50;

/** The minimum length of a search for items. Fewer characters would match too many items. */
const searchLengthMin = 2;
const searchLengthMax = 100;
const itemsMax = 20;

const entryOfList = ({ id, name, platform }: Watchlist): PaletteEntry => ({
  link: linkTo(`/watchlists/${id}`),
  kind: "Watchlist",
  name,
  note: `${platform} ${id}`,
});

/**
 * Returns true if the name and the note of an entry contain all words of a search, ignoring case.
 */
const isMatch = ({ name, note }: PaletteEntry, search: string): boolean => {
  const text = `${name} ${note}`.toLowerCase();
  return search
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
};

/** The entries that match a search. */
export interface PaletteResults {
  readonly entries: readonly PaletteEntry[];
  /**
   * The number of all matches; undefined if the service found more than it returned and did not
   * count them.
   */
  readonly total: number | undefined;
  /** True while watchlists or items are loading and no item can be shown. */
  readonly isLoading: boolean;
  /** The error of the service's search; undefined if the search did not fail. */
  readonly error: ApiError | undefined;
}

/**
 * Finds pages, watchlists and items by name. The items of `index` are found without a request. Once
 * the user stops typing, the service searches too, because other users may have changed the items
 * since the index was loaded. Its result is merged into the results of the index. Items of
 * watchlists that no longer exist are left out. The form of a new watchlist is left out if the
 * user's key cannot create a watchlist.
 */
export function usePaletteEntries(
  search: string,
  index: readonly IndexedItem[] | undefined,
): PaletteResults {
  const lists = useQuery(readWatchlists, []);
  const existing = useMemo(() => {
    const ids = lists.data && new Set(lists.data.data.map(({ id }) => id));
    return ids === undefined ? index : index?.filter((item) => ids.has(item.watchlistId));
  }, [index, lists.data]);
  const mayFindItems = search.length >= searchLengthMin;
  const known = useMemo(
    () => (mayFindItems ? existing && findItems(existing, search, itemsMax) : undefined),
    [existing, search, mayFindItems],
  );
  const rested = useDebounced(search);
  const asked = mayFindItems && rested === search ? search : "";
  const found = useQuery((api, signal) => searched(api, asked, signal), [asked]);
  const answer = asked === "" ? undefined : found.data;
  const items = mergeItems(known, answer, itemsMax);
  const mayCreate = useRefusal(["write", "spend"]) === undefined;
  const pagesAndLists = [
    ...pages,
    ...(mayCreate ? [newWatchlist] : []),
    ...(lists.data?.data.map(entryOfList) ?? []),
  ];
  const matching = pagesAndLists.filter((entry) => isMatch(entry, search));
  const isWaiting = mayFindItems && known === undefined && (asked === "" || found.loading);
  return {
    entries: [...matching, ...items.items.map(entryOfItem)].slice(0, shownMax),
    total: items.total === undefined ? undefined : matching.length + items.total,
    isLoading: lists.loading || isWaiting,
    error: found.error,
  };
}

/** Lets the service search the items of all watchlists. An empty search finds none. */
async function searched(api: ApiClient, search: string, signal: AbortSignal): Promise<FoundItems> {
  if (search === "") return { items: [], total: 0 };
  const query = { search: search.slice(0, searchLengthMax), limit: itemsMax };
  const { data, has_more: hasMore } = await api.get<List<FoundItem>>("watchlists/items", {
    signal,
    query,
  });
  return { items: data.map(indexedItem), total: hasMore ? undefined : data.length };
}

/**
 * Names an item by its label, or else by its title, or else by its ID. The note contains its other
 * names and its watchlist.
 */
const entryOfItem = ({
  id,
  watchlistId,
  watchlistName,
  label,
  title,
}: IndexedItem): PaletteEntry => {
  const [name = id, ...others] = [label, title, id].filter((text) => text !== null);
  return {
    link: linkTo(`/watchlists/${watchlistId}/items/${id}`),
    kind: "Item",
    name,
    note: [...others, `in ${watchlistName}`].join(" · "),
  };
};
