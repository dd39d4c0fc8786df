import type { RouteKey } from "../../../functions/routes.ts";
import { discardBody } from "../../../shared/runs/discard-request.ts";
import { runQuery } from "../../../shared/runs/queries.ts";
import { runDetailSchema, runSchema } from "../../../shared/runs/run-schema.ts";
import {
  discardedRun,
  heldRun,
  releasedRun,
  watchlistId,
} from "../../../tools/documents/examples/watchlists.ts";
import type { Operation } from "../operation.ts";

const path = {
  id: { description: "ID of the watchlist.", example: watchlistId },
  run_number: { description: "Number of the held run.", example: "2" },
};

/** The operations that return a run, and that release or discard a held run. */
export const watchlistHoldOperations = {
  "GET /v1/watchlists/{id}/runs/{run_number}": {
    id: "getWatchlistRun",
    tag: "Watchlists",
    summary: "Get a run",
    description:
      "Returns one run. If the watchlist's brake holds the run, the response also has the run's first " +
      "changes, so that you can decide whether to release or discard the run. Free.",
    path: { ...path, run_number: { description: "Number of the run.", example: "2" } },
    query: runQuery,
    answers: {
      200: { description: "The run.", schema: runDetailSchema, example: heldRun },
    },
    refusals: [404],
  },
  "POST /v1/watchlists/{id}/runs/{run_number}/release": {
    id: "releaseWatchlistRun",
    tag: "Watchlists",
    summary: "Release a held run",
    description:
      "Sends the events of a run that the watchlist's brake holds, exactly once, and records its " +
      "history. The watchlist then runs again. Returns the same run if it was released before, and " +
      "409 if it is not held or was discarded. Free.",
    path,
    answers: {
      202: { description: "The released run.", schema: runSchema, example: releasedRun },
    },
    refusals: [404, 409],
  },
  "POST /v1/watchlists/{id}/runs/{run_number}/discard": {
    id: "discardWatchlistRun",
    tag: "Watchlists",
    summary: "Discard a held run",
    description:
      "Restores the items of a run that the watchlist's brake holds to their state before the run. " +
      "The run's item events are never sent, and the history does not show the run. The credits stay charged. " +
      "The watchlist then runs again. Returns the same run if it was discarded before, and 409 if it " +
      "is not held or was released. Free.",
    path,
    body: {
      schema: discardBody,
      examples: { reason: { reason: "The source sent prices in cents." } },
      optional: true,
    },
    answers: {
      202: { description: "The discarded run.", schema: runSchema, example: discardedRun },
    },
    refusals: [404, 409],
  },
} as const satisfies Partial<Record<RouteKey, Operation>>;
