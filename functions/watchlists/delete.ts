import { watchlistNotFound } from "../../shared/base/errors.ts";
import { isId } from "../../shared/base/ids.ts";
import { deleteWatchlist } from "../../shared/watchlists/delete-watchlist.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/** `DELETE /v1/watchlists/{id}`. Deletes a watchlist with its items and runs. */
export const deleteWatchlistRoute = route<WatchlistDependencies>({
  async handle({ caller: { accountId }, path, now }, dependencies) {
    const { id = "" } = path;
    const deleted =
      isId("watchlist", id) &&
      (await deleteWatchlist({ accountId, watchlistId: id, now }, dependencies));
    if (!deleted) throw watchlistNotFound(id);
    return { status: 200, body: { id, object: "watchlist", deleted: true } };
  },
});
