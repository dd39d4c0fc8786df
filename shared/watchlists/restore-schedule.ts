import { isSameSchedule, type Schedule } from "./schedule.ts";
import { watchlistSchedule, type Schedules } from "./schedules.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

/**
 * Maximum number of attempts while other calls change the watchlist. Stopping after that is safe,
 * because each of those calls also sets the schedule.
 */
const triesMax = 5;

/**
 * Makes the EventBridge schedule of a watchlist match its stored row. Deletes the schedule of a
 * paused or deleted watchlist. If the row changes during the call, tries again, at most `triesMax`
 * times in total. Returns without an error even if the row has changed each time. Call this
 * function if the schedule may be missing, or may come from a change of the watchlist that was not
 * stored.
 */
export async function restoreSchedule(
  watchlist: { readonly accountId: string; readonly watchlistId: string; readonly now: Date },
  {
    watchlists,
    schedules,
  }: { readonly watchlists: Pick<WatchlistStore, "get">; readonly schedules: Schedules },
): Promise<void> {
  const { accountId, watchlistId, now } = watchlist;
  let seen = await watchlists.get(accountId, watchlistId);
  for (let tries = 0; tries < triesMax; tries += 1) {
    await (seen?.status === "active"
      ? schedules.put(watchlistSchedule(seen, now))
      : schedules.remove(watchlistId));
    const foundWatchlist = await watchlists.get(accountId, watchlistId);
    if (isSame(scheduleOf(seen), scheduleOf(foundWatchlist))) return;
    seen = foundWatchlist;
  }
}

const scheduleOf = (watchlist: Watchlist | undefined): Schedule | undefined =>
  watchlist?.status === "active" ? watchlist.schedule : undefined;

const isSame = (a: Schedule | undefined, b: Schedule | undefined): boolean =>
  a === undefined || b === undefined ? a === b : isSameSchedule(a, b);
