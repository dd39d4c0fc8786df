import { currencyOf } from "../platforms/catalog.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import type { RunWatchlist } from "./run.ts";

/** Copies the fields of a watchlist that a run stores, because its events contain them. */
export function runWatchlist(watchlist: Watchlist): RunWatchlist {
  return {
    id: watchlist.id,
    name: watchlist.name,
    platform: watchlist.platform,
    marketplace: watchlist.marketplace,
    currency: currencyOf(watchlist.platform, watchlist.marketplace),
    status: watchlist.status,
    pausedReason: watchlist.pausedReason,
    nextRunAt: watchlist.nextRunAt,
    webhookEndpointId: watchlist.webhookEndpointId,
  };
}
