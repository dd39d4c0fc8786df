import type { Clock } from "../base/clock.ts";
import type { PageStore } from "./page-store.ts";
import type { PurgeStore } from "./purge-store.ts";
import type { Schedules } from "./schedules.ts";

/** Time until the sweeper retries an incomplete purge, in milliseconds. */
export const purgeAgainMs = 60_000;
/** Time until an incomplete creation is purged, in milliseconds. */
export const purgeAfterMs = 60 * 60 * 1_000;

export interface PurgeDependencies {
  readonly purges: PurgeStore;
  readonly pages: PageStore;
  readonly schedules: Schedules;
  readonly clock: Clock;
}

/** An attempt to purge a watchlist. */
export interface PurgeRequest {
  readonly watchlistId: string;
  /** Time at which this attempt must stop. */
  readonly until: Date;
  /**
   * True if the creation of the watchlist has just failed. Its rows are deleted, but the mark stays
   * for a second purge, at a time when no write of the creation can still be in progress.
   */
  readonly abandoned?: boolean;
}

/**
 * Deletes the schedule and all rows of a watchlist that was deleted or not completely created.
 * Idempotent. Returns `purged` if all rows are deleted. Returns `nothing` if the watchlist ID has
 * no purge mark, or the purge is not due. Returns `unfinished` if the sweeper must continue the
 * purge: a run is in progress, `until` has passed, or the creation was abandoned.
 */
export async function purgeWatchlist(
  { watchlistId, until, abandoned = false }: PurgeRequest,
  { purges, pages, schedules, clock }: PurgeDependencies,
): Promise<"purged" | "unfinished" | "nothing"> {
  const now = clock.now();
  const nextCheck = new Date(now.getTime() + (abandoned ? purgeAfterMs : purgeAgainMs));
  if (!(await purges.begin(watchlistId, { now, nextCheck, abandoned }))) return "nothing";
  await schedules.remove(watchlistId);
  await pages.removeAll(watchlistId);
  if (await purges.isRunning(watchlistId)) return "unfinished";
  const isOver = (): boolean => clock.now() >= until;
  if (!(await purges.removeRows(watchlistId, isOver))) return "unfinished";
  // A write of the creation may still take effect after its request failed, so a second purge is
  // needed.
  if (abandoned) return "unfinished";
  await purges.end(watchlistId);
  return "purged";
}
