import type { RouteKey } from "../../../functions/routes.ts";
import { backtestJobResponse } from "../../../shared/backtest/backtest-job.ts";
import { backtestResponse } from "../../../shared/backtest/present-backtest.ts";
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

const result = {
  object: "watchlist_backtest",
  watchlist_id: watchlist.id,
  pipeline: watchlist.pipeline,
  since: "2026-11-20T00:00:00.000Z",
  until: "2026-11-21T00:00:00.000Z",
  total: {
    runs: 1,
    items: 2,
    credits: 2,
    events: { "watchlist.product.changed": 1 },
  },
  runs: [
    {
      run_number: 2,
      started_at: "2026-11-20T10:00:00.000Z",
      status: "completed",
      credits: 2,
      steps: [{ step: "check", items: 2, credits: 2 }],
      events: { "watchlist.product.changed": 1 },
    },
  ],
  samples: [
    {
      type: "watchlist.product.changed",
      run_number: 2,
      entry: { id: "9000001", changes: { price: { before: 99, after: 89 } } },
    },
  ],
  left_out_runs: [],
  unknown_fields: [],
  unknown_reads: [],
  removed_items: 0,
};

const job = {
  object: "backtest_job",
  id: "bt_1d0jg8k3mfkzq3m8vcx5t0ee",
  watchlist_id: watchlist.id,
  status: "running",
  progress: { runs_done: 120, runs: 480 },
  created_at: "2026-11-21T10:00:00.000Z",
  ended_at: null,
  expires_at: "2026-11-28T10:00:00.000Z",
  error: null,
  result: null,
} as const;

/** Operations that repeat past runs of a watchlist with another pipeline. */
export const watchlistBacktestOperations = {
  "POST /v1/watchlists/{id}/backtest": {
    id: "backtestWatchlist",
    tag: "Watchlists",
    summary: "Back-test a pipeline",
    description:
      "Repeats the past runs of a watchlist with another pipeline on the readings in its history. Returns " +
      "which items each step would have read, which events would have been sent, and what would have been " +
      "charged. Reads no source, and changes nothing. Free.\n\nThe limits of routes and derived fields begin at " +
      "`since`, as for a new pipeline. Daily credit budgets are not applied, and an offers step costs 3 " +
      "credits for each item. `unknown_fields` names the fields that the history does not have.\n\nA back-test of more " +
      "than 50,000 reads of items or 100,000 observed changes becomes a job: the response is 202, and " +
      "`GET /v1/watchlists/{id}/backtests/{backtest_id}` returns its progress and its result. An account " +
      "has one job at a time: a call that needs another job gets 409.",
    path: { id: { description: "ID of the watchlist.", example: watchlist.id } },
    body: {
      schema: watchlistBodies.WatchlistBacktestRequest.schema,
      examples: {
        default: {
          since: "2026-11-20T00:00:00Z",
          pipeline: {
            steps: [{ id: "check", scraper: "retailer_d.standard", routes: [drop] }],
          },
        },
      },
    },
    answers: {
      200: {
        description: "What the pipeline would have done.",
        schema: backtestResponse,
        example: result,
      },
      202: {
        description: "The job of a large back-test.",
        schema: backtestJobResponse,
        example: { ...job, status: "pending", progress: null },
      },
    },
    refusals: [404, 409, 501],
  },
  "GET /v1/watchlists/{id}/backtests/{backtest_id}": {
    id: "getBacktest",
    tag: "Watchlists",
    summary: "Get a back-test job",
    description:
      "Returns the job of a large back-test: its progress, then its result. Call it every few " +
      "seconds until `status` is `done` or `failed`. A job ends within two hours, or it is `failed`. Jobs " +
      "and their results are deleted after seven days. Free.",
    path: {
      id: { description: "ID of the watchlist.", example: watchlist.id },
      backtest_id: { description: "ID of the job.", example: job.id },
    },
    answers: {
      200: {
        description: "The job.",
        schema: backtestJobResponse,
        example: {
          ...job,
          status: "done",
          progress: { runs_done: 1, runs: 1 },
          ended_at: "2026-11-21T10:00:21.000Z",
          result,
        },
      },
    },
    refusals: [404],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
