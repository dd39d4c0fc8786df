import { bestEffort, type Warn } from "../base/best-effort.ts";
import { purgeAgainMs, type PurgeDependencies, purgeWatchlist } from "./purge-watchlist.ts";
import type { WatchlistStore } from "./watchlist-store.ts";

/**
 * Maximum time that `deleteWatchlist` spends on the purge, in milliseconds. The sweeper does the
 * rest.
 */
const purgeMs = 5_000;

/**
 * Deletes a watchlist. One write makes the watchlist invisible. Its other rows are then purged:
 * immediately, or after the run in progress. If the purge fails, logs a warning, and the sweeper
 * continues the purge. Returns false if the watchlist does not exist.
 */
export async function deleteWatchlist(
  watchlist: { readonly accountId: string; readonly watchlistId: string; readonly now: Date },
  dependencies: PurgeDependencies & {
    readonly watchlists: WatchlistStore;
    readonly warn: Warn;
  },
): Promise<boolean> {
  const { accountId, watchlistId, now } = watchlist;
  const purgeAt = new Date(now.getTime() + purgeAgainMs);
  const { watchlists, warn } = dependencies;
  if (!(await watchlists.remove({ accountId, watchlistId, purgeAt }))) return false;
  const until = new Date(now.getTime() + purgeMs);
  await bestEffort(async () => {
    await purgeWatchlist({ watchlistId, until }, dependencies);
  }, warn);
  return true;
}
