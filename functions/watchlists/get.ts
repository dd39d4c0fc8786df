import { endpointBinding } from "../../shared/watchlists/endpoint-binding.ts";
import { presentWatchlist } from "../../shared/watchlists/present-watchlist.ts";
import { route } from "../http/route.ts";
import { dailyUse } from "./daily-use.ts";
import { existingWatchlist } from "./existing-watchlist.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/** `GET /v1/watchlists/{id}`. Returns one watchlist. */
export const getWatchlistRoute = route<WatchlistDependencies>({
  async handle({ caller, path, now, baseUrl }, dependencies) {
    const { watchlists, endpoints } = dependencies;
    const watchlist = await existingWatchlist(watchlists, caller.accountId, path["id"]);
    const endpoint = await endpointBinding(watchlist, endpoints);
    const usedToday = (await dailyUse([watchlist], now, dependencies)).get(watchlist.id) ?? 0;
    return {
      status: 200,
      body: presentWatchlist(watchlist, { baseUrl, now, endpoint, usedToday }),
    };
  },
});
