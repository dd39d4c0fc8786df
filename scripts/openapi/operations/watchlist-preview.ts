import type { RouteKey } from "../../../functions/routes.ts";
import { previewResponse } from "../../../shared/preview/present-preview.ts";
import { watchlist } from "../../../tools/documents/examples/watchlists.ts";
import { watchlistBodies } from "../bodies/watchlists.ts";
import type { Operation } from "../operation.ts";

const drop = {
  when: "changed",
  field: "price",
  op: "decreased",
  min_delta_percent: 5,
  notify: true,
} as const;

/** The operation that runs a pipeline once, for the price of its reads. */
export const watchlistPreviewOperations = {
  "POST /v1/watchlists/{id}/preview": {
    id: "previewWatchlist",
    tag: "Watchlists",
    summary: "Preview a pipeline",
    description:
      "Runs a pipeline once on up to 10 items of a watchlist, with live reads. Returns which steps read " +
      "each item, what they read, what changed, and the events that the next run would have sent. Stores " +
      "and sends nothing.\n\nEach step costs what it costs in a run. The call reserves the price of all " +
      "reads that the routes can cause, and refunds steps that an item did not reach and reads " +
      "without an answer. `max_credits`, the account's daily budget and concurrency apply as in an " +
      "item call; the credit limits and the brake of the watchlist do not.\n\nReads that cannot end before the " +
      "deadline of the call are `unavailable`. Set a timeout of 60 seconds.",
    path: { id: { description: "ID of the watchlist.", example: watchlist.id } },
    body: {
      schema: watchlistBodies.WatchlistPreviewRequest.schema,
      examples: {
        default: {
          items: ["9000001"],
          pipeline: {
            steps: [{ id: "check", scraper: "retailer_d.standard", routes: [drop] }],
          },
        },
        own: { max_credits: 10 },
      },
    },
    answers: {
      200: {
        description: "What the next run would have done with these items.",
        schema: previewResponse,
        example: {
          object: "watchlist_preview",
          watchlist_id: watchlist.id,
          pipeline: {
            entry: "check",
            baseline: null,
            refresh: null,
            steps: [{ id: "check", scraper: "retailer_d.standard", routes: [drop] }],
          },
          run_number: 2,
          kind: "sweep",
          total: {
            items: 1,
            reads: 1,
            credits: 1,
            events: { "watchlist.product.changed": 1 },
          },
          steps: [{ step: "check", scraper: "retailer_d.standard", items: 1, credits: 1 }],
          items: [
            {
              id: "9000001",
              reads: [
                {
                  step: "check",
                  status: "ok",
                  read_at: "2026-11-21T01:20:02.114Z",
                  values: { price: 89, inStock: true },
                  changes: { price: { before: 99, after: 89 } },
                },
              ],
              events: [
                {
                  type: "watchlist.product.changed",
                  entry: { id: "9000001", changes: { price: { before: 99, after: 89 } } },
                },
              ],
            },
          ],
        },
      },
    },
    refusals: [404, 501],
    itemCall: true,
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
