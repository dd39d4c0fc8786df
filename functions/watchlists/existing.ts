import { notFound } from "../../shared/base/errors.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";
import type { WatchlistStore } from "../../shared/watchlists/watchlist-store.ts";

const idPattern = /^wl_[0-9a-z]{24}$/;

/**
 * The account's list of that id.
 * @throws 404 NOT_FOUND, the same for a missing list and for one of another account.
 */
export async function existing(
  watchlists: WatchlistStore,
  accountId: string,
  id: string | undefined,
): Promise<Watchlist> {
  const found =
    id !== undefined && idPattern.test(id) ? await watchlists.get(accountId, id) : undefined;
  if (found === undefined) throw notFound("This watchlist");
  return found;
}
