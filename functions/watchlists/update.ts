import { endpointBinding } from "../../shared/watchlists/endpoint-binding.ts";
import { presentWatchlist } from "../../shared/watchlists/present-watchlist.ts";
import { watchlistPatch } from "../../shared/watchlists/update-request.ts";
import { updateWatchlist } from "../../shared/watchlists/update-watchlist.ts";
import { route } from "../http/route.ts";
import { dailyUse } from "./daily-use.ts";
import { existingWatchlist } from "./existing-watchlist.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/** `PATCH /v1/watchlists/{id}`. Changes those fields of a watchlist that the request contains. */
export const updateWatchlistRoute = route<WatchlistDependencies, typeof watchlistPatch>({
  body: watchlistPatch,
  async handle({ body: patch, caller, path, now, baseUrl }, dependencies) {
    const watchlist = await existingWatchlist(
      dependencies.watchlists,
      caller.accountId,
      path["id"],
    );
    const updated = await updateWatchlist({ watchlist, patch, now }, dependencies);
    const endpoint = await endpointBinding(updated, dependencies.endpoints);
    const usedToday = (await dailyUse([updated], now, dependencies)).get(updated.id) ?? 0;
    return { status: 200, body: presentWatchlist(updated, { baseUrl, now, endpoint, usedToday }) };
  },
});
