import type { ApiClient } from "../api/client.ts";
import type { List, Watchlist, WatchlistItem } from "../api/resources.ts";
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

/** An ID or its first characters, as `id_prefix` of the API accepts it. */
const prefixForm = /^[a-z0-9]{4,15}$/i;
const itemsPerList = 5;
/** The number of watchlists that are searched at the same time. */
const searchedAtOnce = 8;

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

/** Finds pages and watchlists by name, and items by the first characters of their IDs. */
export function usePaletteEntries(search: string): PaletteResults {
  const lists = useQuery(
    (api, signal) =>
      api.get<List<Watchlist>>("watchlists", { signal, query: { limit: watchlistsMax } }),
    [],
  );
  const rested = useDebounced(search);
  const prefix = prefixForm.test(rested) ? rested : "";
  const items = useQuery(
    (api, signal) => itemsWith(prefix, lists.data?.data ?? [], { api, signal }),
    [prefix, lists.data !== undefined],
  );
  const known = [...pages, ...(lists.data?.data.map(entryOfList) ?? [])];
  const matching = known.filter((entry) => isMatch(entry, search));
  return {
    entries: [...matching, ...(rested === search ? (items.data ?? []) : [])].slice(0, shownMax),
    isLoading: lists.loading || items.loading || rested !== search,
  };
}

interface Calls {
  readonly api: ApiClient;
  readonly signal: AbortSignal;
}

/** Loads the items of all watchlists whose IDs begin with a prefix. An empty prefix has none. */
async function itemsWith(
  prefix: string,
  lists: readonly Watchlist[],
  { api, signal }: Calls,
): Promise<readonly PaletteEntry[]> {
  if (prefix === "") return [];
  const found = new Map<string, readonly PaletteEntry[]>();
  const waiting = [...lists];
  const search = async (): Promise<void> => {
    for (let list = waiting.shift(); list !== undefined; list = waiting.shift()) {
      const { id, name } = list;
      const { data } = await api.get<List<WatchlistItem>>(`watchlists/${id}/items`, {
        signal,
        query: { id_prefix: prefix, limit: itemsPerList },
      });
      found.set(
        id,
        data.map((item) => entryOfItem(item, { id, name })),
      );
    }
  };
  await Promise.all(Array.from({ length: searchedAtOnce }, search));
  return lists.flatMap(({ id }) => found.get(id) ?? []);
}

const entryOfItem = (
  { id, label, title }: WatchlistItem,
  list: Pick<Watchlist, "id" | "name">,
): PaletteEntry => ({
  link: linkTo(`/watchlists/${list.id}/items/${id}`),
  kind: "Item",
  name: label ?? title ?? id,
  note: `${id}, in ${list.name}`,
});
