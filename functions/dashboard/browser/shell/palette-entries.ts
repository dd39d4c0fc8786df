import type { ApiClient } from "../api/client.ts";
import type { FoundItem, List, Watchlist } from "../api/resources.ts";
import { useQuery } from "../api/use-query.ts";
import { useDebounced } from "../api/use-debounced.ts";
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
const itemsMax = 20;
/** The first characters of an item ID. All IDs have digits. */
const idForm = /^(?:a-)?(?=[a-z]*\d)[a-z\d]{3,15}$/i;
/** Short, because the user waits for the result of each key. */
const restMilliseconds = 40;

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
 * Finds pages and watchlists by name at once, then items of all watchlists: first by the start of
 * their ID, which is fast, then by the words in their ID, label or title. A new search aborts the
 * requests of the one before.
 */
export function usePaletteEntries(search: string): PaletteResults {
  const lists = useQuery(
    (api, signal) =>
      api.get<List<Watchlist>>("watchlists", { signal, query: { limit: watchlistsMax } }),
    [],
  );
  const byId = useQuery(
    (api, signal) => (idForm.test(search) ? itemsWith(search, { match: "id", api, signal }) : none),
    [search],
  );
  const rested = useDebounced(search, restMilliseconds);
  const words = rested === search && mayAddItems(byId, search) ? search : "";
  const byText = useQuery(
    (api, signal) => (words === "" ? none : itemsWith(words, { match: "text", api, signal })),
    [words],
  );
  const known = [...pages, ...(lists.data?.data.map(entryOfList) ?? [])];
  const matching = known.filter((entry) => isMatch(entry, search));
  const found = [...(byId.data ?? []), ...(byText.data ?? [])];
  const items = new Map(found.map((entry) => [entry.link, entry]));
  return {
    entries: [...matching, ...items.values()].slice(0, shownMax),
    isLoading: lists.loading || byId.loading || byText.loading || rested !== search,
  };
}

/**
 * Returns true if a search by words may add items to those that the search by ID found. The search
 * by words takes longer, so it starts after the other one.
 */
const mayAddItems = (
  byId: { readonly loading: boolean; readonly data?: readonly PaletteEntry[] | undefined },
  search: string,
): boolean =>
  !byId.loading && (byId.data?.length ?? 0) < itemsMax && search.length >= searchLengthMin;

const none: Promise<readonly PaletteEntry[]> = Promise.resolve([]);

interface ItemSearch {
  readonly match: "id" | "text";
  readonly api: ApiClient;
  readonly signal: AbortSignal;
}

/** Finds items of all watchlists. */
async function itemsWith(
  search: string,
  { match, api, signal }: ItemSearch,
): Promise<readonly PaletteEntry[]> {
  const query = { search: search.slice(0, searchLengthMax), match, limit: itemsMax };
  const { data } = await api.get<List<FoundItem>>("watchlists/items", { signal, query });
  return data.map(entryOfItem);
}

const searchLengthMax = 100;

const entryOfItem = ({
  id,
  label,
  title,
  watchlist_id: listId,
  watchlist_name: list,
}: FoundItem): PaletteEntry => ({
  link: linkTo(`/watchlists/${listId}/items/${id}`),
  kind: "Item",
  name: label ?? title ?? id,
  note: `${id}, in ${list}`,
});
