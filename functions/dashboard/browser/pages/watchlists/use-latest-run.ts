import { useEffect, useRef } from "preact/hooks";
import type { List, Watchlist, WatchlistRun } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { useToast } from "../../ui/toast.tsx";
import { outcomeSentence } from "./run-words.ts";

const progressSeconds = 1;

/**
 * Returns the newest run of a watchlist, and keeps it up to date while it is in progress. Returns
 * undefined while it is loading and for a watchlist without runs. Shows a toast when a run ends.
 * @param onEnd called when a run has ended
 */
export function useLatestRun(list: Watchlist, onEnd: () => void): WatchlistRun | undefined {
  const toast = useToast();
  const { data } = useQuery(
    (api, signal) =>
      api.get<List<WatchlistRun>>(`watchlists/${list.id}/runs`, { signal, query: { limit: 1 } }),
    [list.id, list.run_count],
    { poll: (page) => (page?.data[0]?.status === "running" ? progressSeconds : undefined) },
  );
  const run = data?.data[0];
  /** The number of the newest run that has ended: 0 if none has, undefined while it is loading. */
  const over = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (data === undefined) return;
    const number = run === undefined ? 0 : run.run_number - (run.status === "running" ? 1 : 0);
    const isNews = over.current !== undefined && number > over.current;
    over.current = number;
    if (!isNews || run === undefined || run.status === "running") return;
    toast(`Run ${run.run_number} ${outcomeSentence(run)}`);
    onEnd();
  }, [data, run?.id, run?.status]);
  return run;
}
