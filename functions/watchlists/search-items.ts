import type { UndefinedSchema } from "valibot";
import { invalidParam } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { listAllItems } from "../../shared/watchlists/all-items.ts";
import { knownDetails } from "../../shared/watchlists/item-details.ts";
import { itemSearchQuery } from "../../shared/watchlists/queries.ts";
import { type FoundItem, searchItems } from "../../shared/watchlists/search-items.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/** `GET /v1/watchlists/items`: lists or searches the items of all watchlists of the account. */
export const searchItemsRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof itemSearchQuery
>({
  query: itemSearchQuery,
  check({ query }) {
    if (query.search !== undefined && query.starting_after !== undefined) {
      throw invalidParam(
        "starting_after",
        "A search has no further pages. Omit 'starting_after', or omit 'search' to list all items.",
      );
    }
  },
  async handle({ caller, query: { search, limit, starting_after: startingAfter } }, dependencies) {
    const { pages } = dependencies;
    const { watchlists } = await dependencies.watchlists.list(
      caller.accountId,
      limits.watchlistsMax,
    );
    if (search === undefined) {
      const { items, next } = await listAllItems({ watchlists, limit, startingAfter }, pages);
      return { status: 200, body: presentItems(items, { hasMore: next !== null, next }) };
    }
    const { items, hasMore } = await searchItems({ watchlists, search, limit }, pages);
    return { status: 200, body: presentItems(items, { hasMore, next: null }) };
  },
});

const presentItems = (
  items: readonly FoundItem[],
  { hasMore, next }: { readonly hasMore: boolean; readonly next: string | null },
) => ({
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
  next_starting_after: next,
});
