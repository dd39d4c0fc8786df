import type { Pipeline } from "../pipelines/definition.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import type { Run } from "./run.ts";

/**
 * Returns true if a run is a refresh, by one of two rules. Always false if the pipeline has no
 * refresh.
 *
 * - Cadence: the run number is a multiple of `refresh.everyRuns`. Manual, skipped and failed runs
 *   count too.
 * - Missed refresh: a refresh that read nothing stays due. Every following run, even a manual one,
 *   is a refresh until a run completes. These runs start at the refresh entry of the current
 *   pipeline. The cadence does not shift.
 *
 * Must not be called for a baseline run, which reads every item for the first time, even if a
 * refresh is due.
 */
export function isRefresh(
  { refreshDue }: Pick<Watchlist, "refreshDue">,
  { refresh }: Pipeline,
  runNumber: number,
): boolean {
  return refresh !== null && (refreshDue || runNumber % refresh.everyRuns === 0);
}

/**
 * Returns true if a missed refresh is due after a run. A refresh is missed if it was skipped for
 * lack of credits, if it failed before its entry step, or if a credit limit deferred its entry step
 * before anything was read. If a run of another kind does not complete, returns `dueBefore`.
 * Otherwise, returns false: items that were not read have an owed retry.
 * @param dueBefore whether a missed refresh was due before the run
 */
export function refreshDueAfter(
  { kind, status, stats }: Pick<Run, "kind" | "status" | "stats">,
  dueBefore: boolean,
): boolean {
  if (kind === "refresh" && stats.isEntryUnread === true) return true;
  if (status === "completed") return false;
  return kind === "refresh" ? !Object.hasOwn(stats.steps, stats.entry) : dueBefore;
}
