import { listSchedule, type Schedules } from "./schedules.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

/**
 * Puts the schedule of an active list again. A list that only the sweeper found due may have lost
 * it.
 */
export async function restoreSchedule(
  list: { readonly accountId: string; readonly watchlistId: string; readonly now: Date },
  { watchlists, schedules }: { watchlists: WatchlistStore; schedules: Schedules },
): Promise<void> {
  const watchlist = await watchlists.get(list.accountId, list.watchlistId);
  if (watchlist?.status === "active") await schedules.put(listSchedule(watchlist, list.now));
}
