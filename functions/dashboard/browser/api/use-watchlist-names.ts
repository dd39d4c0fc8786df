import { useMemo } from "preact/hooks";
import type { List, Watchlist } from "./resources.ts";
import { useQuery } from "./use-query.ts";

/** As many lists as an account may have. */
const watchlistsMax = 100;

/** The names of the account's watchlists by their ids; undefined while they are not known. */
export function useWatchlistNames(): ReadonlyMap<string, string> | undefined {
  const { data } = useQuery(
    (api, signal) =>
      api.get<List<Watchlist>>("watchlists", { signal, query: { limit: watchlistsMax } }),
    [],
  );
  return useMemo(() => data && new Map(data.data.map(({ id, name }) => [id, name])), [data]);
}
