import * as v from "valibot";
import { limits } from "../../shared/base/limits.ts";
import { presentWatchlist } from "../../shared/watchlists/present-watchlist.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./handler.ts";
import { limitParam } from "./query.ts";

const query = v.object({ limit: limitParam(limits.pagination.watchlists) });

export const listRoute = route<WatchlistDependencies, v.UndefinedSchema<undefined>, typeof query>({
  query,
  async handle({ caller, query: { limit }, baseUrl }, { watchlists }) {
    const page = await watchlists.list(caller.accountId, limit);
    return {
      status: 200,
      body: {
        object: "list",
        data: page.watchlists.map((watchlist) => presentWatchlist(watchlist, baseUrl)),
        has_more: page.hasMore,
      },
    };
  },
});
