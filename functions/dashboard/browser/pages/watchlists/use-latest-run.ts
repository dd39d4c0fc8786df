import { useEffect, useRef } from "preact/hooks";
import { formatCount } from "../../format/numbers.ts";
import type { List, Watchlist, WatchlistRun } from "../../api/resources.ts";
import { useQuery } from "../../api/use-query.ts";
import { useToast } from "../../ui/toast.tsx";
import { outcomeSentence } from "./run-words.ts";

const progressSeconds = 1;
/**
 * The polling interval in seconds while a run is held. Another client may release or discard it.
 */
const heldSeconds = 15;

interface LatestRun {
  /** The newest run; undefined while it is loading and for a watchlist without runs. */
  readonly run: WatchlistRun | undefined;
  readonly refresh: () => void;
}

/**
 * Returns the newest run of a watchlist, and keeps it up to date while it is in progress or held.
 * Shows a toast when a run ends.
 * @param onEnd called when a run has ended
 */
export function useLatestRun(list: Watchlist, onEnd: () => void): LatestRun {
  const toast = useToast();
  const { data, refresh } = useQuery(
    (api, signal) =>
      api.get<List<WatchlistRun>>(`watchlists/${list.id}/runs`, { signal, query: { limit: 1 } }),
    [list.id, list.run_count],
    { poll: (page) => pollSeconds(page?.data[0]?.status) },
  );
  const run = data?.data[0];
  /**
   * The number of the newest run that has ended: 0 if no run has ended, undefined while it is
   * loading.
   */
  const over = useRef<number | undefined>(undefined);
  useEffect(() => {
    if (data === undefined) return;
    const number = run === undefined ? 0 : run.run_number - (run.status === "running" ? 1 : 0);
    const isNews = over.current !== undefined && number > over.current;
    over.current = number;
    if (!isNews || run === undefined || run.status === "running") return;
    toast(`Run ${formatCount(run.run_number)} ${outcomeSentence(run)}`);
    onEnd();
  }, [data, run?.id, run?.status]);
  return { run, refresh };
}

function pollSeconds(status: WatchlistRun["status"] | undefined): number | undefined {
  if (status === "running") return progressSeconds;
  return status === "held" ? heldSeconds : undefined;
}
