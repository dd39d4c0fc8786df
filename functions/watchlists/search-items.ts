import type { UndefinedSchema } from "valibot";
import { limits } from "../../shared/base/limits.ts";
import { knownDetails } from "../../shared/watchlists/item-details.ts";
import { itemSearchQuery } from "../../shared/watchlists/queries.ts";
import { searchItems } from "../../shared/watchlists/search-items.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/** `GET /v1/watchlists/items`: searches the items of all watchlists of the account. */
export const searchItemsRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof itemSearchQuery
>({
  query: itemSearchQuery,
  async handle({ caller, query: { search, match, limit } }, dependencies) {
    const { watchlists } = await dependencies.watchlists.list(
      caller.accountId,
      limits.watchlistsMax,
    );
    const { items, hasMore } = await searchItems(
      { watchlists, search, match, limit },
      dependencies.pages,
    );
    return {
      status: 200,
      body: {
        object: "list",
        data: items.map(({ watchlist, id, details }) => {
          const { label = null, title = null } = knownDetails(details);
          return {
            id,
            object: "found_item",
            watchlist_id: watchlist.id,
            watchlist_name: watchlist.name,
            platform: watchlist.platform,
            label,
            title,
          };
        }),
        has_more: hasMore,
      },
    };
  },
});
