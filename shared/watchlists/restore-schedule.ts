import { isSameSchedule, type Schedule } from "./schedule.ts";
import { watchlistSchedule, type Schedules } from "./schedules.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

/**
 * Maximum number of tries while concurrent calls change the watchlist. Those calls also set the
 * schedule.
 */
const triesMax = 5;

/**
 * Makes the EventBridge schedule of a watchlist match its stored row. Removes the schedule of a
 * paused or deleted watchlist. Repeats if the row changes during the call. Use it if the schedule
 * may be missing, or may belong to a change that was not stored.
 */
export async function restoreSchedule(
  list: { readonly accountId: string; readonly watchlistId: string; readonly now: Date },
  {
    watchlists,
    schedules,
  }: { readonly watchlists: Pick<WatchlistStore, "get">; readonly schedules: Schedules },
): Promise<void> {
  const { accountId, watchlistId, now } = list;
  let seen = await watchlists.get(accountId, watchlistId);
  for (let tries = 0; tries < triesMax; tries += 1) {
    await (seen?.status === "active"
      ? schedules.put(watchlistSchedule(seen, now))
      : schedules.remove(watchlistId));
    const found = await watchlists.get(accountId, watchlistId);
    if (isSame(scheduleOf(seen), scheduleOf(found))) return;
    seen = found;
  }
}

const scheduleOf = (list: Watchlist | undefined): Schedule | undefined =>
  list?.status === "active" ? list.schedule : undefined;

const isSame = (a: Schedule | undefined, b: Schedule | undefined): boolean =>
  a === undefined || b === undefined ? a === b : isSameSchedule(a, b);
