import type { UndefinedSchema } from "valibot";
import { parseItemId } from "../../shared/platforms/item-id.ts";
import { completeReads, lastReadAt } from "../../shared/runs/last-read.ts";
import type { Item } from "../../shared/watchlists/item.ts";
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
  async handle({ caller, path, query: wanted }, { watchlists, pages, runs }) {
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
    const [details, reads] =
      first === undefined || last === undefined
        ? [new Map<string, ItemDetails>(), []]
        : await Promise.all([
            pages.details(watchlist.id, { from: first.id, to: last.id }),
            completeReads(watchlist.id, runs),
          ]);
    const present = (item: Item) =>
      presentItem(item, watchlist.platform, {
        details: details.get(item.id),
        lastReadAt: lastReadAt(item, reads),
      });
    return {
      status: 200,
      body: {
        object: "list",
        data: page.items.map(present),
        has_more: page.hasMore,
      },
    };
  },
});
