import type { Pipeline } from "../pipelines/definition.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import type { Run } from "./run.ts";

/**
 * Returns true if a run is a refresh, by one of two rules:
 * - Cadence: the run number is a multiple of `refresh.everyRuns`. Manual, skipped and failed runs
 *   count too.
 * - Missed refresh: a refresh that read nothing stays due. Every following run, even a manual one,
 *   is then a refresh until a run completes. The multiples of the cadence stay the same.
 *
 * Returns false if the pipeline has no refresh. Do not call this function for a baseline run: it
 * reads every item for the first time, even if a refresh is due.
 */
export function isRefresh(
  { refreshDue }: Pick<Watchlist, "refreshDue">,
  { refresh }: Pipeline,
  runNumber: number,
): boolean {
  return refresh !== null && (refreshDue || runNumber % refresh.everyRuns === 0);
}

/**
 * Returns true if a missed refresh is due after a run. A refresh is missed in three cases:
 * - it was skipped for lack of credits;
 * - it failed before its entry step;
 * - a credit limit deferred its entry step before anything was read.
 *
 * After a run of another kind that did not complete, returns `dueBefore`. In all other cases,
 * returns false, because each item that was not read has an owed retry.
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
