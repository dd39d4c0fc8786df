import type { InferOutput, UndefinedSchema } from "valibot";
import { invalidParam } from "../../shared/base/errors.ts";
import { limits } from "../../shared/base/limits.ts";
import { currencyOf } from "../../shared/platforms/catalog.ts";
import { listAllItems } from "../../shared/watchlists/all-items.ts";
import { priceOf } from "../../shared/watchlists/arrange-items.ts";
import { knownDetails } from "../../shared/watchlists/item-details.ts";
import { itemSearchQuery } from "../../shared/watchlists/queries.ts";
import { type FoundItem, searchItems } from "../../shared/watchlists/search-items.ts";
import { listStockItems, type StockItem } from "../../shared/watchlists/stock-items.ts";
import type { Watchlist } from "../../shared/watchlists/watchlist.ts";
import { route } from "../http/route.ts";
import type { WatchlistDependencies } from "./dependencies.ts";
import { existingWatchlist } from "./existing-watchlist.ts";

type Query = InferOutput<typeof itemSearchQuery>;

/**
 * `GET /v1/watchlists/items`: lists or searches the items of all watchlists of the account, or of
 * the one that the query names.
 */
export const searchItemsRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof itemSearchQuery
>({
  query: itemSearchQuery,
  check: ({ query }) => checkQuery(query),
  async handle({ caller, query }, dependencies) {
    const { pages, stockItems } = dependencies;
    const { search, limit, stock, starting_after: startingAfter } = query;
    const watchlists = await watchlistsOf(caller, query, dependencies);
    if (stock !== undefined) {
      const { sort = "id", order = "asc" } = query;
      const wanted = { watchlists, search, sort, order, limit, startingAfter };
      const { items, next } = await listStockItems(wanted, stockItems);
      return answer(items.map(presentStock), { hasMore: next !== null, next });
    }
    if (search === undefined) {
      const { items, next } = await listAllItems({ watchlists, limit, startingAfter }, pages);
      return answer(items.map(presentFound), { hasMore: next !== null, next });
    }
    const { items, hasMore } = await searchItems({ watchlists, search, limit }, pages);
    return answer(items.map(presentFound), { hasMore, next: null });
  },
});

/** @throws 400 INVALID_PARAM if a parameter does not apply to the listing */
function checkQuery(query: Query): void {
  if (query.stock !== undefined) return;
  if (query.search !== undefined && query.starting_after !== undefined) {
    throw invalidParam(
      "starting_after",
      "'starting_after' does not apply to a search, which returns only one page. Omit 'starting_after', or omit 'search' to list all items.",
    );
  }
  for (const name of ["watchlist_id", "sort", "order"] as const) {
    if (query[name] === undefined) continue;
    throw invalidParam(
      name,
      `'${name}' applies only to a list of items by stock. Send 'stock' too, or omit '${name}'.`,
    );
  }
}

/**
 * Returns the watchlist that the query names, or otherwise all watchlists of the account.
 * @throws 404 NOT_FOUND if the account does not have the named watchlist
 */
async function watchlistsOf(
  { accountId }: { readonly accountId: string },
  { watchlist_id: id }: Query,
  { watchlists }: Pick<WatchlistDependencies, "watchlists">,
): Promise<readonly Watchlist[]> {
  if (id !== undefined) return [await existingWatchlist(watchlists, accountId, id)];
  return (await watchlists.list(accountId, limits.watchlistsMax)).watchlists;
}

const answer = (
  data: readonly Record<string, unknown>[],
  { hasMore, next }: { readonly hasMore: boolean; readonly next: string | null },
) => ({
  status: 200,
  body: { object: "list", data, has_more: hasMore, next_starting_after: next },
});

/** Converts a found item to its form in API responses, without its stock. */
function presentFound({ watchlist, id, details }: FoundItem) {
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
}

/** Converts a found item to its form in API responses, with its price and stock. */
function presentStock({ watchlist, item, details }: StockItem) {
  const { url = null } = knownDetails(details);
  const change = item.lastChange;
  return {
    ...presentFound({ watchlist, id: item.id, details }),
    stock: {
      price: priceOf(item),
      currency: currencyOf(watchlist.platform, watchlist.marketplace),
      url,
      values_since: item.snapshotAt,
      stock_since: change?.changes["inStock"] === undefined ? null : change.changedAt,
    },
  };
}
