import { endpointBinding } from "../../shared/watchlists/endpoint-binding.ts";
import { presentWatchlist } from "../../shared/watchlists/present-watchlist.ts";
import { route } from "../http/route.ts";
import { existing } from "./existing.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

export const getRoute = route<WatchlistDependencies>({
  async handle({ caller, path, now, baseUrl }, { watchlists, endpoints }) {
    const watchlist = await existing(watchlists, caller.accountId, path["id"]);
    const endpoint = await endpointBinding(watchlist, endpoints);
    return { status: 200, body: presentWatchlist(watchlist, { baseUrl, now, endpoint }) };
  },
});
