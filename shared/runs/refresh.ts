import type { Pipeline } from "../pipelines/definition.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import type { Run } from "./run.ts";

/**
 * Which runs of a list are refreshes. Two rules make one:
 *
 * - The cadence: every run whose number is a multiple of `refresh.everyRuns`. Every run counts,
 *   also manual, skipped and failed ones.
 * - A missed refresh: one that read nothing stays due. The next run is the refresh, also a manual one,
 *   and so on until a run completes. It starts at the refresh entry that the pipeline has by then; a
 *   pipeline without a refresh drops it. The cadence does not shift.
 *
 * A run of new items alone is never a refresh: it reads every item for the first time.
 */
export function isRefresh(
  { refreshDue }: Pick<Watchlist, "refreshDue">,
  { refresh }: Pipeline,
  runNumber: number,
): boolean {
  return refresh !== null && (refreshDue || runNumber % refresh.everyRuns === 0);
}

/**
 * Whether a missed refresh is due once a run has ended. A refresh is missed when it was skipped for
 * lack of credits, or failed before its entry step. Once that step was read or deferred none is due:
 * the items that it did not read owe a retry there.
 */
export function refreshDueAfter(
  { kind, status, stats }: Pick<Run, "kind" | "status" | "stats">,
  dueBefore: boolean,
): boolean {
  if (status === "completed") return false;
  return kind === "refresh" ? !Object.hasOwn(stats.steps, stats.entry) : dueBefore;
}
