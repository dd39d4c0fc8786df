import type { RouteKey } from "../../../functions/routes.ts";
import { runsQuery } from "../../../shared/runs/queries.ts";
import { runSchema, runsResponse } from "../../../shared/runs/run-schema.ts";
import { itemsQuery, watchlistsQuery } from "../../../shared/watchlists/queries.ts";
import {
  deletedWatchlistResponse,
  itemChangeResponse,
  watchlistItemSchema,
  watchlistItemsResponse,
  watchlistSchema,
  watchlistsResponse,
} from "../../../shared/watchlists/watchlist-schema.ts";
import {
  run,
  watchlist,
  watchlistItem,
  watchlistId,
} from "../../../tools/documents/examples/watchlists.ts";
import { newWatchlistBodies, watchlistBodies } from "../bodies/watchlists.ts";
import { anyOf } from "../named-bodies.ts";
import type { Operation } from "../operation.ts";
import { watchlistPlanningOperations } from "./watchlist-planning.ts";

const counts = { new: 2, active: 1, delisted: 0 };
const itemChange = {
  object: "watchlist_items",
  watchlist_id: watchlistId,
  added: 2,
  reactivated: 0,
  unchanged: 0,
  removed: 1,
  missing: 0,
  item_count: 3,
  items_by_state: counts,
  asin_count: 3,
  asins_by_state: counts,
};

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
      "reports no changes. With `status: paused` the list does not run until it is resumed; its " +
      "first run is due then.\n\nSend `every` or `cron`, not both. Events go to the endpoint that " +
      "`webhook_url` or `webhook_endpoint_id` names, or to every endpoint subscribed to them.\n\n" +
      "With an `Idempotency-Key` the call can be repeated safely for 24 hours: after a success it " +
      "gets the first answer again, after a failure it runs again.",
    headers: {
      "Idempotency-Key": {
        description:
          "1 to 255 characters of printable ASCII, the same for every repeat of one request; the body " +
          "field `idempotency_key` is equivalent.",
        example: "order-4711",
      },
    },
    body: {
      schema: anyOf(newWatchlistBodies),
      examples: {
        cadence: {
          name: "Coffee",
          platform: "retailer_d",
          ids: ["9000000", "9000001"],
          every: "15m",
        },
        cron: {
          name: "Office hours",
          platform: "retailer_d",
          ids: "9000000, 9000001",
          cron: "*/15 8-18 * * MON-FRI",
          timezone: "Europe/Berlin",
        },
      },
    },
    answers: {
      201: {
        description: "Created, or the answer to the first request with this idempotency key.",
        schema: watchlistSchema,
        example: watchlist,
        headers: ["Idempotent-Replayed"],
      },
    },
    refusals: [409, 422, 501],
  },
  ...watchlistPlanningOperations,
  "GET /v1/watchlists/{id}": {
    id: "getWatchlist",
    tag: "Watchlists",
    summary: "Get a watchlist",
    description: "Free.",
    path: id,
    answers: { 200: { description: "It.", schema: watchlistSchema, example: watchlist } },
    refusals: [404],
  },
  "PATCH /v1/watchlists/{id}": {
    id: "updateWatchlist",
    tag: "Watchlists",
    summary: "Change a watchlist",
    description:
      "Only what is sent changes; a run in progress goes on as it began. A new cadence is counted " +
      "from the last run. `status` pauses and activates. Items change with " +
      "POST /v1/watchlists/{id}/items. Free.\n\nChanging `pipeline` keeps owed retries: the next run " +
      "reads items that were deferred for lack of credits or that the source did not answer. It " +
      "reads them at the new pipeline's step with the same scraper (and the same `condition`, if " +
      "there is one), otherwise at the baseline step, and reports their changes there. If the " +
      "baseline step has no routes, a step with routes that reads products does it: `lite` in " +
      "retailer_a's default pipeline.\n\n" +
      "You can send `webhook_url`, `webhook_endpoint_id` or both with the values that the " +
      "watchlist has now, even if that endpoint is deleted.",
    path: id,
    body: {
      schema: watchlistBodies.WatchlistUpdate.schema,
      examples: {
        cadence: { every: "1h" },
        pause: { status: "paused" },
        restore: { pipeline: null, webhook_url: null },
      },
    },
    answers: { 200: { description: "Changed.", schema: watchlistSchema, example: watchlist } },
    refusals: [404, 409, 501],
  },
  "DELETE /v1/watchlists/{id}": {
    id: "deleteWatchlist",
    tag: "Watchlists",
    summary: "Delete a watchlist",
    description:
      "Removes the list with its items and run history. A run in progress finishes, but sends no " +
      "webhooks. Free.",
    path: id,
    answers: {
      200: {
        description: "Deleted.",
        schema: deletedWatchlistResponse,
        example: { id: watchlistId, object: "watchlist", deleted: true },
      },
    },
    refusals: [404],
  },
  "POST /v1/watchlists/{id}/run": {
    id: "runWatchlist",
    tag: "Watchlists",
    summary: "Run a watchlist now",
    description:
      "Billed like a scheduled run; works on a paused list. The schedule restarts from now. 409 " +
      "while a run is in progress, and for a list without items.",
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
  "POST /v1/watchlists/{id}/items": {
    id: "changeWatchlistItems",
    tag: "Watchlists",
    summary: "Add and remove items",
    description:
      "Removals apply before additions; at most 50,000 items per list. Free.\n\nAn added item is " +
      "`new`: the next run stores a baseline for it and reports no change. So is a delisted item " +
      "that is added again, and an item that is in both `remove` and `add`: it starts over, with " +
      "nothing known of it. An id that is not well-formed refuses the whole call; a call that " +
      "ended without an answer can be made again.\n\nA watchlist without items does not run: at " +
      "its due times there is no run, charge or event. Added items are read at the next due " +
      "time, or when you call POST /v1/watchlists/{id}/run.",
    path: id,
    body: {
      schema: watchlistBodies.WatchlistItemsUpdate.schema,
      examples: { both: { add: ["9000001", "9000003"], remove: ["9000000"] } },
    },
    answers: {
      200: {
        description: "What happened to the IDs, and the counts of the watchlist afterwards.",
        schema: itemChangeResponse,
        example: itemChange,
      },
    },
    refusals: [404, 409],
  },
  "GET /v1/watchlists/{id}/items/{item_id}": {
    id: "getWatchlistItem",
    tag: "Watchlists",
    summary: "Get an item of a watchlist",
    description:
      "Returns the same record as the list of items. The ID is normalized like every item ID: to " +
      "upper case on retailer_a, without a leading `A-` on retailer_c. Returns 400 if the ID is " +
      "malformed, 404 if it is not on the watchlist. Free.",
    path: {
      ...id,
      item_id: { description: "Id of an item of the list.", example: watchlistItem.id },
    },
    answers: {
      200: { description: "The item.", schema: watchlistItemSchema, example: watchlistItem },
    },
    refusals: [400, 404],
  },
  "POST /v1/watchlists/{id}/asins": {
    id: "changeWatchlistAsins",
    tag: "Watchlists",
    summary: "Add and remove items (legacy path)",
    description: "As POST /v1/watchlists/{id}/items; only `object` differs.",
    deprecated: true,
    path: id,
    body: {
      schema: watchlistBodies.WatchlistItemsUpdate.schema,
      examples: { add: { add: ["9000001", "9000003"] } },
    },
    answers: {
      200: {
        description: "What happened to the IDs, and the counts of the watchlist afterwards.",
        schema: itemChangeResponse,
        example: { ...itemChange, object: "watchlist_asins" },
      },
    },
    refusals: [404, 409],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
