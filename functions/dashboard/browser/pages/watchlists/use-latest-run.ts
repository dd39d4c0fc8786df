import { useEffect, useRef } from "preact/hooks";
import type { List, Watchlist, WatchlistRun } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { useToast } from "../../ui/toast.tsx";
import { outcomeWords } from "./run-words.ts";

const progressSeconds = 1;

/**
 * The newest run of a list, followed while it is in progress; its end is told.
 * @param onEnd called when it has ended
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
  const followed = useRef<string | undefined>(undefined);
  useEffect(() => {
    if (run === undefined) return;
    if (run.status === "running") followed.current = run.id;
    else if (followed.current === run.id) {
      followed.current = undefined;
      toast(`Run ${run.run_number} ${outcomeWords(run)}.`);
      onEnd();
    }
  }, [run?.id, run?.status]);
  return run;
}
