import type { UndefinedSchema } from "valibot";
import { parseItemId } from "../../shared/platforms/item-id.ts";
import type { ItemDetails } from "../../shared/watchlists/item-details.ts";
import { listItems } from "../../shared/watchlists/list-items.ts";
import { presentItem } from "../../shared/watchlists/present-item.ts";
import { itemsQuery } from "../../shared/watchlists/queries.ts";
import { route } from "../http/route.ts";
import { existingWatchlist } from "./existing-watchlist.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/** `GET /v1/watchlists/{id}/items` */
export const listItemsRoute = route<
  WatchlistDependencies,
  UndefinedSchema<undefined>,
  typeof itemsQuery
>({
  query: itemsQuery,
  async handle({ caller, path, query: wanted }, { watchlists, pages }) {
    const watchlist = await existingWatchlist(watchlists, caller.accountId, path["id"]);
    const { starting_after: after } = wanted;
    const page = await listItems(
      watchlist.id,
      {
        limit: wanted.limit,
        startingAfter:
          after === undefined
            ? undefined
            : parseItemId(watchlist.platform, after, "starting_after"),
        state: wanted.state,
        idPrefix: wanted.id_prefix,
        changedSince: wanted.changed_since,
      },
      pages,
    );
    const [first, last] = [page.items[0], page.items.at(-1)];
    const details =
      first === undefined || last === undefined
        ? new Map<string, ItemDetails>()
        : await pages.details(watchlist.id, { from: first.id, to: last.id });
    return {
      status: 200,
      body: {
        object: "list",
        data: page.items.map((item) => presentItem(item, watchlist.platform, details.get(item.id))),
        has_more: page.hasMore,
      },
    };
  },
});
