import type { RouteKey } from "../../../functions/routes.ts";
import { runsQuery } from "../../../shared/runs/queries.ts";
import { runSchema, runsResponse } from "../../../shared/runs/run-schema.ts";
import { itemsQuery, watchlistsQuery } from "../../../shared/watchlists/queries.ts";
import { newWatchlistBody } from "../../../shared/watchlists/request.ts";
import {
  watchlistItemsResponse,
  watchlistSchema,
  watchlistsResponse,
} from "../../../shared/watchlists/watchlist-schema.ts";
import { run, watchlist, watchlistItem, watchlistId } from "../examples/watchlists.ts";
import type { Operation } from "../operation.ts";

const id = { id: { description: "Id of a watchlist.", example: watchlistId } };

export const watchlistOperations = {
  "GET /v1/watchlists": {
    id: "listWatchlists",
    tag: "Watchlists",
    summary: "List watchlists",
    description: "Newest first. Free.",
    query: watchlistsQuery,
    answers: {
      200: {
        description: "The account's watchlists.",
        schema: watchlistsResponse,
        example: { object: "list", data: [watchlist], has_more: false },
      },
    },
  },
  "POST /v1/watchlists": {
    id: "createWatchlist",
    tag: "Watchlists",
    summary: "Create a watchlist",
    description:
      "Free; at most 100 lists per account. The first run is due at once: it reads every item and " +
      "reports no changes.\n\nSend `every` or `cron`, not both. Events go to the endpoint that " +
      "`webhook_url` or `webhook_endpoint_id` names, or to every endpoint subscribed to them.",
    body: {
      schema: newWatchlistBody,
      examples: {
        cadence: {
          name: "Coffee",
          platform: "retailer_d",
          ids: ["9000000", "9000001"],
          every: "15m",
        },
      },
    },
    answers: { 201: { description: "Created.", schema: watchlistSchema, example: watchlist } },
    refusals: [409, 501],
  },
  "GET /v1/watchlists/{id}": {
    id: "getWatchlist",
    tag: "Watchlists",
    summary: "Get a watchlist",
    description: "Free.",
    path: id,
    answers: { 200: { description: "It.", schema: watchlistSchema, example: watchlist } },
    refusals: [404],
  },
  "POST /v1/watchlists/{id}/run": {
    id: "runWatchlist",
    tag: "Watchlists",
    summary: "Run a watchlist now",
    description:
      "Billed like a scheduled run; works on a paused list. The schedule restarts from now.",
    path: id,
    answers: { 202: { description: "The run has begun.", schema: runSchema, example: run } },
    refusals: [404, 409],
  },
  "GET /v1/watchlists/{id}/runs": {
    id: "listWatchlistRuns",
    tag: "Watchlists",
    summary: "List a watchlist's runs",
    description: "Newest first; the newest 500 are kept. Free.",
    path: id,
    query: runsQuery,
    answers: {
      200: {
        description: "Runs with what each step read and cost.",
        schema: runsResponse,
        example: { object: "list", data: [run], has_more: false },
      },
    },
    refusals: [404],
  },
  "GET /v1/watchlists/{id}/items": {
    id: "listWatchlistItems",
    tag: "Watchlists",
    summary: "List a watchlist's items",
    description:
      "In id order, each with its last snapshot and its last change. Free.\n\nWith `changed_since` " +
      "it gives every item that changed or was delisted since: this is how deliveries that were " +
      "missed are caught up with.",
    path: id,
    query: itemsQuery,
    queryExamples: { changed_since: "2026-11-21T00:00:00Z" },
    answers: {
      200: {
        description: "Items.",
        schema: watchlistItemsResponse,
        example: { object: "list", data: [watchlistItem], has_more: false },
      },
    },
    refusals: [404],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
