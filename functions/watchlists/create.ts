import { createWatchlist } from "../../shared/watchlists/create-watchlist.ts";
import { presentWatchlist } from "../../shared/watchlists/present-watchlist.ts";
import { newWatchlist } from "../../shared/watchlists/request.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./handler.ts";

/** `POST /v1/watchlists` */
export const createRoute = route<WatchlistDependencies, typeof newWatchlist>({
  body: newWatchlist,
  async handle({ body, caller, now, baseUrl }, dependencies) {
    const watchlist = await createWatchlist(
      { accountId: caller.accountId, wanted: body, now },
      dependencies,
    );
    return { status: 201, body: presentWatchlist(watchlist, baseUrl) };
  },
});
