import { watchlistNotFound } from "../../shared/base/errors.ts";
import { isId } from "../../shared/base/ids.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";
import type { WatchlistStore } from "../../shared/watchlists/watchlist-store.ts";

/**
 * Reads the watchlist `id` of an account.
 * @throws 404 NOT_FOUND if the ID is undefined, malformed or unknown, or belongs to another account
 */
export async function existingWatchlist(
  watchlists: WatchlistStore,
  accountId: string,
  id: string | undefined,
): Promise<Watchlist> {
  const foundWatchlist =
    id !== undefined && isId("watchlist", id) ? await watchlists.get(accountId, id) : undefined;
  if (foundWatchlist === undefined) throw watchlistNotFound(id ?? "");
  return foundWatchlist;
}
