import type { UndefinedSchema } from "valibot";
import { parseItemId } from "../../shared/platforms/item-id.ts";
import { completeReads, lastReadAt } from "../../shared/runs/last-read.ts";
import type { DetailedItem } from "../../shared/watchlists/arrange-items.ts";
import { listItems } from "../../shared/watchlists/list-items.ts";
import { presentItem } from "../../shared/watchlists/present-item.ts";
import { itemsQuery } from "../../shared/watchlists/queries.ts";
import { pipelineOf } from "../../shared/watchlists/watchlist.ts";
import { route } from "../http/route.ts";
import { existingWatchlist } from "./existing-watchlist.ts";
import type { WatchlistDependencies } from "./dependencies.ts";

/**
 * `GET /v1/watchlists/{id}/items`. Returns a page of a watchlist's items, filtered and sorted by
 * the query.
 */
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
        search: wanted.search,
        sort: wanted.sort,
        order: wanted.order,
      },
      pages,
    );
    const reads = page.items.length === 0 ? [] : await completeReads(watchlist.id, runs);
    const present = ({ item, details }: DetailedItem) =>
      presentItem(item, watchlist.platform, {
        details,
        lastReadAt: lastReadAt(item, reads),
        pipeline: pipelineOf(watchlist),
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
