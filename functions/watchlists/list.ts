import type { UndefinedSchema } from "valibot";
import { presentWatchlist } from "../../shared/watchlists/present-watchlist.ts";
import { watchlistsQuery } from "../../shared/watchlists/queries.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./handler.ts";

export const listRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof watchlistsQuery
>({
  query: watchlistsQuery,
  async handle({ caller, query: { limit }, now, baseUrl }, { watchlists }) {
    const page = await watchlists.list(caller.accountId, limit);
    return {
      status: 200,
      body: {
        object: "list",
        data: page.watchlists.map((watchlist) => presentWatchlist(watchlist, { baseUrl, now })),
        has_more: page.hasMore,
      },
    };
  },
});
