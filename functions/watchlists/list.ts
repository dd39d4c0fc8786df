import type { UndefinedSchema } from "valibot";
import { endpointBindings } from "../../shared/watchlists/endpoint-binding.ts";
import { presentWatchlist } from "../../shared/watchlists/present-watchlist.ts";
import { watchlistsQuery } from "../../shared/watchlists/queries.ts";
import { route } from "../http/route.ts";
import { dailyUse } from "./daily-use.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/** `GET /v1/watchlists`. Lists the watchlists of the account, newest first. */
export const listWatchlistsRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof watchlistsQuery
>({
  query: watchlistsQuery,
  async handle({ caller, query: { limit }, now, baseUrl }, dependencies) {
    const { watchlists, endpoints } = dependencies;
    const { accountId } = caller;
    const page = await watchlists.list(accountId, limit);
    const bindings = await endpointBindings(accountId, page.watchlists, endpoints);
    const used = await dailyUse(page.watchlists, now, dependencies);
    return {
      status: 200,
      body: {
        object: "list",
        data: page.watchlists.map((watchlist) =>
          presentWatchlist(watchlist, {
            baseUrl,
            now,
            endpoint: bindings.get(watchlist.id) ?? null,
            usedToday: used.get(watchlist.id) ?? 0,
          }),
        ),
        has_more: page.hasMore,
      },
    };
  },
});
