import type { ApiClient } from "./client.ts";
import type { List, Watchlist } from "./resources.ts";

/** The maximum number of watchlists in an account. */
const watchlistsMax = 100;

/** Reads all watchlists of the account. */
export const readWatchlists = (api: ApiClient, signal: AbortSignal): Promise<List<Watchlist>> =>
  api.get("watchlists", { signal, query: { limit: watchlistsMax } });
