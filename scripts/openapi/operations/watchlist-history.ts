import type { RouteKey } from "../../../functions/routes.ts";
import { changesResponse, itemHistoryResponse } from "../history-schema.ts";
import { changesQuery, itemHistoryQuery } from "../../../shared/history/queries.ts";
import { watchlistId, watchlistItem } from "../../../tools/documents/examples/watchlists.ts";
import type { Operation } from "../operation.ts";

const id = { id: { description: "ID of the watchlist.", example: watchlistId } };

const point = {
  id: "2.check",
  object: "history_point",
  at: "2026-11-21T01:24:36.011Z",
  run_number: 2,
  step: "check",
  status: "ok",
  values: { price: 75.39 },
};

const change = {
  object: "field_change",
  watchlist_id: watchlistId,
  watchlist_name: "Coffee",
  platform: "retailer_d",
  currency: "USD",
  item_id: watchlistItem.id,
  label: watchlistItem.label,
  title: watchlistItem.title,
  url: watchlistItem.url,
  image: watchlistItem.image,
  kind: "price_rise",
  field: "price",
  before: 64.87,
  after: 75.39,
  last_known: 64.87,
  delta: 10.52,
  delta_percent: 16.2171,
  changed_at: "2026-11-21T01:24:36.011Z",
  run_number: 2,
  step: "check",
};

const changesAnswers = {
  200: {
    description: "The changes.",
    schema: changesResponse,
    example: { object: "list", data: [change], has_more: false, next_starting_after: null },
  },
};

const changesDescription =
  "Each entry is a change of one field of one item, whether or not a route reported the change. The " +
  "first reading of an item is no change. An entry with the `kind` `delisted` is an item that was not found. To " +
  "read all pages, repeat the call with `starting_after` until `next_starting_after` is null. `sort=size`, " +
  "`sort=amount` and `compare=period` compare at most 500,000 reads; a time span with more returns 400.";

/** Operations that read what the runs of watchlists observed. */
export const watchlistHistoryOperations = {
  "GET /v1/watchlists/{id}/items/{item_id}/history": {
    id: "getWatchlistItemHistory",
    tag: "Watchlists",
    summary: "Get the history of an item",
    description:
      "Returns the reads of an item that found a new or changed value, and the read that delisted it. The " +
      "history covers 400 days and every tracked or testable field, including fields that no route names. The " +
      "history of a removed item remains until the watchlist is deleted. Returns 404 if the watchlist never " +
      "had the item. Free.",
    path: {
      ...id,
      item_id: { description: "ID of an item of the watchlist.", example: watchlistItem.id },
    },
    query: itemHistoryQuery,
    queryExamples: { fields: "price,inStock" },
    answers: {
      200: {
        description: "The points of the item.",
        schema: itemHistoryResponse,
        example: { object: "list", data: [point], has_more: false, values_at_since: null },
      },
    },
    refusals: [400, 404],
  },
  "GET /v1/watchlists/{id}/changes": {
    id: "listWatchlistChanges",
    tag: "Watchlists",
    summary: "List the changes of a watchlist",
    description: `Lists what changed on a watchlist in a time span. ${changesDescription} Free.`,
    path: id,
    query: changesQuery,
    queryExamples: { kind: "price_drop", min_delta_percent: 5 },
    answers: changesAnswers,
    refusals: [400, 404],
  },
  "GET /v1/changes": {
    id: "listChanges",
    tag: "Watchlists",
    summary: "List the changes of all watchlists",
    description: `Lists what changed on all watchlists of the account in a time span. ${changesDescription} Free.`,
    query: changesQuery,
    queryExamples: { kind: "price_drop", min_delta_percent: 5 },
    answers: changesAnswers,
    refusals: [400],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
