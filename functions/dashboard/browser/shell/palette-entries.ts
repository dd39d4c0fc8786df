import { useMemo } from "preact/hooks";
import type { ApiClient } from "../api/client.ts";
import type { FoundItem, List, Watchlist } from "../api/resources.ts";
import { useQuery } from "../api/use-query.ts";
import { useDebounced } from "../api/use-debounced.ts";
import { findItems, type IndexedItem, indexedItem } from "./item-index.ts";
import { linkTo } from "./router.ts";
import { sections } from "./sections.ts";

/** A place that the command palette opens. */
export interface PaletteEntry {
  readonly link: string;
  readonly kind: "Page" | "Watchlist" | "Item";
  readonly name: string;
  /** Further text, which the search also reads. */
  readonly note: string;
}

const pages: readonly PaletteEntry[] = [
  ...sections.map(({ section, label }) => ({
    link: linkTo(`/${section}`),
    kind: "Page" as const,
    name: label,
    note: "",
  })),
  { link: linkTo("/watchlists/new"), kind: "Page", name: "New watchlist", note: "" },
];

/** The maximum number of watchlists in an account. */
const watchlistsMax = 100;
const shownMax = 50;

/** Fewer characters find too many items. */
const searchLengthMin = 2;
const searchLengthMax = 100;
const itemsMax = 20;

const entryOfList = ({ id, name, platform }: Watchlist): PaletteEntry => ({
  link: linkTo(`/watchlists/${id}`),
  kind: "Watchlist",
  name,
  note: `${platform} ${id}`,
});

/** Returns true if an entry contains each word of a search. */
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
  /** True while watchlists or items are loading. */
  readonly isLoading: boolean;
}

/**
 * Finds pages, watchlists and items by name. Items come from `index`. The service searches them if
 * there is no index, or if the index has none: other users may have added some since it was loaded.
 */
export function usePaletteEntries(
  search: string,
  index: readonly IndexedItem[] | undefined,
): PaletteResults {
  const lists = useQuery(
    (api, signal) =>
      api.get<List<Watchlist>>("watchlists", { signal, query: { limit: watchlistsMax } }),
    [],
  );
  const mayFindItems = search.length >= searchLengthMin;
  const known = useMemo(
    () => (mayFindItems && index !== undefined ? findItems(index, search, itemsMax) : []),
    [index, search, mayFindItems],
  );
  const rested = useDebounced(search);
  const mustAsk = mayFindItems && known.length === 0;
  const asked = mustAsk && rested === search ? search : "";
  const found = useQuery((api, signal) => searched(api, asked, signal), [asked]);
  const pagesAndLists = [...pages, ...(lists.data?.data.map(entryOfList) ?? [])];
  const matching = pagesAndLists.filter((entry) => isMatch(entry, search));
  const items = known.length > 0 ? known : (found.data ?? []);
  return {
    entries: [...matching, ...items.map(entryOfItem)].slice(0, shownMax),
    isLoading: lists.loading || (mustAsk && (asked === "" || found.loading)),
  };
}

/** Lets the service search the items of all watchlists. An empty search finds none. */
async function searched(
  api: ApiClient,
  search: string,
  signal: AbortSignal,
): Promise<readonly IndexedItem[]> {
  if (search === "") return [];
  const query = { search: search.slice(0, searchLengthMax), limit: itemsMax };
  const { data } = await api.get<List<FoundItem>>("watchlists/items", { signal, query });
  return data.map(indexedItem);
}

const entryOfItem = ({ id, watchlistId, watchlistName, name }: IndexedItem): PaletteEntry => ({
  link: linkTo(`/watchlists/${watchlistId}/items/${id}`),
  kind: "Item",
  name,
  note: `${id}, in ${watchlistName}`,
});
