import type { HistoryOwner, HistoryStore } from "./history-store.ts";
import { firstRunOf, lastRunOf } from "./window.ts";

export interface MergeDependencies {
  readonly history: Pick<HistoryStore, "isRecorded" | "mergedWindows" | "merge">;
  /**
   * Returns the numbers of the runs from `first` to `last` that are still in progress. A run
   * without a row is not in progress.
   */
  readonly runsInProgress: (range: {
    readonly watchlistId: string;
    readonly first: number;
    readonly last: number;
  }) => Promise<ReadonlySet<number>>;
}

/** The watchlist and number of a recorded run. */
export interface RecordedRun extends HistoryOwner {
  readonly runNumber: number;
}

/**
 * Merges, in order, the windows of a watchlist's history that are complete after `run` was
 * recorded. A window is complete if its last run was started, and each of its runs is either
 * recorded or can no longer be recorded. The windows can include later windows than that of `run`,
 * if their runs were recorded earlier. Idempotent. Returns false if the time ended before all
 * complete windows were merged; otherwise true, even if the watchlist was deleted.
 * @param isOver returns true when the time for the merge has ended
 */
export async function mergeHistory(
  run: RecordedRun,
  isOver: () => boolean,
  dependencies: MergeDependencies,
): Promise<boolean> {
  const { history } = dependencies;
  const { watchlistId, runNumber } = run;
  for (;;) {
    const window = (await history.mergedWindows(watchlistId)) + 1;
    const last = lastRunOf(window);
    // Runs are not always recorded in the order of their numbers. The last run of the window may
    // already be recorded, even if `run` has a lower number.
    if (runNumber < last && !(await history.isRecorded(watchlistId, last))) return true;
    const outcome = await mergeWindow(run, { window, isOver }, dependencies);
    if (outcome !== "merged") return outcome !== "unfinished";
  }
}

/**
 * Merges one window. Returns `incomplete` if a run of the window is still in progress, so that the
 * window cannot be merged yet.
 */
async function mergeWindow(
  watchlist: HistoryOwner,
  { window, isOver }: { readonly window: number; readonly isOver: () => boolean },
  { history, runsInProgress }: MergeDependencies,
): Promise<"merged" | "unfinished" | "incomplete" | "watchlist_deleted"> {
  const first = await history.merge(watchlist, { window, absent: new Set(), isOver });
  if (first.outcome !== "missing") return first.outcome;
  const absent = new Set(first.runs);
  const range = { first: firstRunOf(window), last: lastRunOf(window) };
  const running = await runsInProgress({ watchlistId: watchlist.watchlistId, ...range });
  // The process that finishes the run in progress will merge the window.
  if (first.runs.some((run) => running.has(run))) return "incomplete";
  // None of the missing runs is in progress. A run that has ended since the first attempt now has a
  // segment. The others have none, because an earlier release ended them or their segments have
  // expired.
  const second = await history.merge(watchlist, { window, absent, isOver });
  return second.outcome === "missing" ? "incomplete" : second.outcome;
}
