import { isSameSchedule, type Schedule } from "./schedule.ts";
import { listSchedule, type Schedules } from "./schedules.ts";
import type { Watchlist } from "./watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

/** Looks at a list that others keep changing, each of whom puts what they want. */
const scannedEntriesMax = 5;

/**
 * Makes the schedule what the row wants, also when that changes meanwhile: none for a list that is
 * paused or gone. For a list that may have lost it, or may have that of a change that was refused.
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
  for (let looks = 0; looks < scannedEntriesMax; looks += 1) {
    await (seen?.status === "active"
      ? schedules.put(listSchedule(seen, now))
      : schedules.remove(watchlistId));
    const found = await watchlists.get(accountId, watchlistId);
    if (isSame(wantedBy(seen), wantedBy(found))) return;
    seen = found;
  }
}

const wantedBy = (list: Watchlist | undefined): Schedule | undefined =>
  list?.status === "active" ? list.schedule : undefined;

const isSame = (a: Schedule | undefined, b: Schedule | undefined): boolean =>
  a === undefined || b === undefined ? a === b : isSameSchedule(a, b);
