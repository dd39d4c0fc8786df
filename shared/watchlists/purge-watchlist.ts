import type { Clock } from "../base/clock.ts";
import type { PageStore } from "./page-store.ts";
import type { PurgeStore } from "./purge-store.ts";
import type { Schedules } from "./schedules.ts";

/** When the sweeper looks again after a purge that could not be completed. */
export const purgeAgainMs = 60_000;
/** When the leftovers of a creation that was never completed are removed. */
export const purgeAfterMs = 60 * 60 * 1_000;

export interface PurgeDependencies {
  readonly purges: PurgeStore;
  readonly pages: PageStore;
  readonly schedules: Schedules;
  readonly clock: Clock;
}

export interface PurgeRequest {
  readonly watchlistId: string;
  /** When to stop and leave the rest to the next attempt. */
  readonly until: Date;
  /**
   * True when the creation of the watchlist has failed just now: its rows are removed, and the mark
   * stays for another purge once no write of it can be under way.
   */
  readonly abandoned?: boolean;
}

/**
 * Removes everything of a list that does not exist any more, or never came to exist. A run in
 * progress finishes first. Safe to repeat, at any time and for any id: without its mark nothing is
 * touched.
 */
export async function purgeWatchlist(
  { watchlistId, until, abandoned = false }: PurgeRequest,
  { purges, pages, schedules, clock }: PurgeDependencies,
): Promise<"purged" | "unfinished" | "nothing"> {
  const now = clock.now();
  const nextLook = new Date(now.getTime() + (abandoned ? purgeAfterMs : purgeAgainMs));
  if (!(await purges.begin(watchlistId, { now, nextLook, abandoned }))) return "nothing";
  await schedules.remove(watchlistId);
  await pages.removeAll(watchlistId);
  if (await purges.isRunning(watchlistId)) return "unfinished";
  const isOver = (): boolean => clock.now() >= until;
  if (!(await purges.removeRows(watchlistId, isOver))) return "unfinished";
  // A write of the creation that was not answered may still take effect: its page is removed then.
  if (abandoned) return "unfinished";
  await purges.end(watchlistId);
  return "purged";
}
