import { useEffect, useMemo } from "preact/hooks";
import { useQuery } from "./use-query.ts";
import { readWatchlists } from "./watchlists.ts";

/**
 * Returns the names of the account's watchlists by ID; undefined until they are loaded. Loads the
 * names again if an ID in `wanted` has no name.
 * @param wanted the IDs to show; nulls are ignored
 */
export function useWatchlistNames(
  wanted: readonly (string | null)[],
): ReadonlyMap<string, string> | undefined {
  const { data, refresh } = useQuery(readWatchlists, []);
  const names = useMemo(() => data && new Map(data.data.map(({ id, name }) => [id, name])), [data]);
  const unknown =
    names && [...new Set(wanted)].filter((id) => id !== null && !names.has(id)).join();
  useEffect(() => {
    if (unknown !== undefined && unknown !== "") refresh();
  }, [unknown, refresh]);
  return names;
}
