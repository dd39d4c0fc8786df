import type { RouteKey } from "../../../functions/routes.ts";
import { runsQuery } from "../../../shared/runs/queries.ts";
import { runSchema, runsResponse } from "../../../shared/runs/run-schema.ts";
import { watchlistsQuery } from "../../../shared/watchlists/queries.ts";
import {
  deletedWatchlistResponse,
  itemChangeResponse,
  watchlistItemSchema,
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
import { itemSearchOperations } from "./item-search.ts";
import { watchlistHistoryOperations } from "./watchlist-history.ts";
import { watchlistHoldOperations } from "./watchlist-holds.ts";
import { watchlistBacktestOperations } from "./watchlist-backtests.ts";
import { watchlistPlanningOperations } from "./watchlist-planning.ts";

const counts = { new: 2, active: 1, delisted: 0 };
const itemChange = {
  object: "watchlist_items",
  watchlist_id: watchlistId,
  added: 2,
  reactivated: 0,
  updated: 0,
  unchanged: 0,
  removed: 1,
  missing: 0,
  item_count: 3,
  items_by_state: counts,
  asin_count: 3,
  asins_by_state: counts,
};

const id = { id: { description: "ID of the watchlist.", example: watchlistId } };

export const watchlistOperations = {
  "GET /v1/watchlists": {
    id: "listWatchlists",
    tag: "Watchlists",
    summary: "List watchlists",
    description: "Lists the watchlists of the account, newest first. Free.",
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
      "Creates a watchlist. An account has at most 100. Free. The first run is due immediately: " +
      "it reads every item and reports no changes. With `status: paused` the watchlist does not " +
      "run until you resume it; its first run is due then.\n\nSend `every` or `cron`, not both. " +
      "Events go to the endpoint that `webhook_url` or `webhook_endpoint_id` names, otherwise " +
      "to every endpoint that receives their type.\n\nWith an `Idempotency-Key` you can repeat " +
      "the call safely for 24 hours. If the first call succeeded, a repeat returns its response; if " +
      "it failed, a repeat runs the call again.",
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
        targets: {
          name: "Kettles with target prices",
          platform: "retailer_d",
          ids: [{ id: "9000001", label: "Office", metadata: { target_price: 70 } }, "9000002"],
          every: "1h",
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
        description:
          "The created watchlist, or the response to the first call with this idempotency key.",
        schema: watchlistSchema,
        example: watchlist,
        headers: ["Idempotent-Replayed"],
      },
    },
    refusals: [409, 422, 501],
  },
  ...watchlistPlanningOperations,
  ...watchlistBacktestOperations,
  "GET /v1/watchlists/{id}": {
    id: "getWatchlist",
    tag: "Watchlists",
    summary: "Get a watchlist",
    description: "Returns a watchlist with its settings, item counts and last run. Free.",
    path: id,
    answers: {
      200: { description: "The watchlist.", schema: watchlistSchema, example: watchlist },
    },
    refusals: [404],
  },
  "PATCH /v1/watchlists/{id}": {
    id: "updateWatchlist",
    tag: "Watchlists",
    summary: "Change a watchlist",
    description:
      "Changes the fields that you send; a run in progress keeps its settings. A new cadence counts " +
      "from the last run. `status` pauses and resumes the watchlist. To change items, use " +
      "POST /v1/watchlists/{id}/items. Free.\n\nChanging `pipeline` keeps owed retries: the next run " +
      "reads items that were deferred for lack of credits or that the source returned no result for. It " +
      "reads each of them at the new pipeline's step with the same scraper (and the same `condition`, if " +
      "there is one), otherwise at the baseline step. That step reports the changes of the item. If the " +
      "baseline step has no routes, a step with routes that reads products replaces it: `lite` in " +
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
    answers: {
      200: { description: "The changed watchlist.", schema: watchlistSchema, example: watchlist },
    },
    refusals: [404, 409, 501],
  },
  "DELETE /v1/watchlists/{id}": {
    id: "deleteWatchlist",
    tag: "Watchlists",
    summary: "Delete a watchlist",
    description:
      "Deletes the watchlist with its items and run history. A run in progress finishes, but " +
      "sends no webhooks. Free.",
    path: id,
    answers: {
      200: {
        description: "The watchlist is deleted.",
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
      "Starts a run now, at the price of a scheduled run, even if the watchlist is paused. The next " +
      "scheduled time counts from now. Returns 409 while a run is in progress or held, and for " +
      "a watchlist without items.",
    path: id,
    answers: { 202: { description: "The run that started.", schema: runSchema, example: run } },
    refusals: [404, 409],
  },
  "GET /v1/watchlists/{id}/runs": {
    id: "listWatchlistRuns",
    tag: "Watchlists",
    summary: "List a watchlist's runs",
    description:
      "Lists the runs of a watchlist, newest first. The service keeps the newest 500. Free.",
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
  ...watchlistHoldOperations,
  ...itemSearchOperations,
  "POST /v1/watchlists/{id}/items": {
    id: "changeWatchlistItems",
    tag: "Watchlists",
    summary: "Add and remove items",
    description:
      "Removes and adds items; removals apply first. A watchlist has at most 50,000 items. " +
      "Free.\n\nAn added item is `new`: the next run stores a baseline for it and reports no " +
      "change. This also applies to a delisted item that you add again, and to an item in both " +
      "`remove` and `add`, which loses its stored values. One malformed ID refuses the whole " +
      "call. You can repeat a call that ended without a response.\n\nAn object in `add` sets " +
      "`label` and `metadata` of the item, even if it is on the watchlist already (`updated`). Null " +
      "removes them, and an ID without an object leaves them unchanged. Removing an item deletes its " +
      "label and metadata. A body has at most 2 MB: 50,000 objects of up to 40 bytes, or 10,000 of up " +
      "to 200 bytes. Send more objects in several calls.\n\nA watchlist without items " +
      "does not run: at its due times there is no run, charge or event. Added items are read at " +
      "the next due time, or when you call POST /v1/watchlists/{id}/run.",
    path: id,
    body: {
      schema: watchlistBodies.WatchlistItemsUpdate.schema,
      examples: {
        both: { add: ["9000001", "9000003"], remove: ["9000000"] },
        labels: {
          add: [
            { id: "9000001", label: "Kettle for the office", metadata: { target_price: 70 } },
            { id: "9000003", label: null },
            "9000004",
          ],
        },
      },
    },
    answers: {
      200: {
        description: "What happened to the IDs, and the item counts after the change.",
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
      item_id: { description: "ID of an item of the watchlist.", example: watchlistItem.id },
    },
    answers: {
      200: { description: "The item.", schema: watchlistItemSchema, example: watchlistItem },
    },
    refusals: [400, 404],
  },
  ...watchlistHistoryOperations,
  "POST /v1/watchlists/{id}/asins": {
    id: "changeWatchlistAsins",
    tag: "Watchlists",
    summary: "Add and remove items (legacy path)",
    description:
      "Does the same as POST /v1/watchlists/{id}/items; only `object` of the response differs.",
    path: id,
    body: {
      schema: watchlistBodies.WatchlistItemsUpdate.schema,
      examples: { add: { add: ["9000001", "9000003"] } },
    },
    answers: {
      200: {
        description: "What happened to the IDs, and the item counts after the change.",
        schema: itemChangeResponse,
        example: { ...itemChange, object: "watchlist_asins" },
      },
    },
    refusals: [404, 409],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
