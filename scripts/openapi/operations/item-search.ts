import type { RouteKey } from "../../../functions/routes.ts";
import { itemSearchQuery, itemsQuery } from "../../../shared/watchlists/queries.ts";
import {
  foundItemsResponse,
  watchlistItemsResponse,
} from "../../../shared/watchlists/watchlist-schema.ts";
import { watchlistId, watchlistItem } from "../../../tools/documents/examples/watchlists.ts";
import type { Operation } from "../operation.ts";

const id = { id: { description: "ID of the watchlist.", example: watchlistId } };

/** The operations that list the items of a watchlist, and of all watchlists. */
export const itemSearchOperations = {
  "GET /v1/watchlists/{id}/items": {
    id: "listWatchlistItems",
    tag: "Watchlists",
    summary: "List a watchlist's items",
    description:
      "Lists the items of a watchlist, each with its last snapshot, its last change, its label and " +
      "metadata, and the newest known title, address and image. The items are in the order of their " +
      "IDs, unless you send `sort`. Free.\n\n`changed_since` selects the items that changed or were " +
      "delisted since that time. Use it to catch up on missed deliveries.",
    path: id,
    query: itemsQuery,
    queryExamples: { changed_since: "2026-11-21T00:00:00Z" },
    answers: {
      200: {
        description: "Items in the requested order.",
        schema: watchlistItemsResponse,
        example: { object: "list", data: [watchlistItem], has_more: false },
      },
    },
    refusals: [404],
  },
  "GET /v1/watchlists/items": {
    id: "searchItems",
    tag: "Watchlists",
    summary: "List or search the items of all watchlists",
    description:
      "With `search`, finds items of all watchlists of the account: first those whose ID begins with `search`, then " +
      "those whose ID, label or title contain all of its words, in upper or lower case. An item of " +
      "several watchlists is listed once for each of them. A search has no further pages: if `has_more` is true, " +
      "send a longer `search`. An item that has no label and was never read is found only by the " +
      "first characters of its ID, at least three.\n\nWithout `search`, lists all items in the order of the " +
      "watchlists' IDs. Continue with `next_starting_after` while it is not null.\n\nWith `stock=out`, lists the " +
      "items that are out of stock now, in the order of `sort`. `search` and `watchlist_id` then select " +
      "from these items, and the listing has further pages. Free.",
    query: itemSearchQuery,
    queryExamples: { search: "kettle" },
    answers: {
      200: {
        description: "The items.",
        schema: foundItemsResponse,
        example: {
          object: "list",
          data: [
            {
              id: watchlistItem.id,
              object: "found_item",
              watchlist_id: watchlistId,
              watchlist_name: "Coffee",
              platform: "retailer_d",
              label: watchlistItem.label,
              title: watchlistItem.title,
            },
          ],
          has_more: false,
          next_starting_after: null,
        },
      },
    },
    refusals: [400, 404],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
