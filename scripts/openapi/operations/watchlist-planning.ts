import type { RouteKey } from "../../../functions/routes.ts";
import {
  presentScrapers,
  scrapersQuery,
  scrapersResponse,
} from "../../../shared/pipelines/present-scrapers.ts";
import { estimateResponse } from "../../../shared/watchlists/estimate.ts";
import {
  schedulePreviewFields,
  schedulePreviewResponse,
} from "../../../shared/watchlists/schedule-preview.ts";
import { sourcesResponse } from "../../../shared/source-health/present-sources.ts";
import { account } from "../../../tools/documents/examples/account.ts";
import { source } from "../../../tools/documents/examples/sources.ts";
import { watchlist } from "../../../tools/documents/examples/watchlists.ts";
import { watchlistBodies } from "../bodies/watchlists.ts";
import type { Operation } from "../operation.ts";

/** Operations that help to plan a watchlist before it is created. */
export const watchlistPlanningOperations = {
  "POST /v1/watchlists/estimate": {
    id: "estimateWatchlist",
    repeatable: true,
    tag: "Watchlists",
    summary: "Estimate a watchlist",
    description:
      "Estimates the credits of the runs of a watchlist and checks its pipeline, without " +
      "creating anything. `param` of an error names the field to change. Free.\n\nWith a schedule, it " +
      "forecasts the scheduled runs of the next 24 hours and 30 days: `best` if no item changes, " +
      "`likely` at the average of the last ten runs, `worst` if every item takes every route. " +
      "`account_forecast` adds up this watchlist and all active ones, and shows when the balance runs " +
      "out. With `watchlist_id`, the other fields change the settings for the estimate only.",
    body: {
      schema: watchlistBodies.WatchlistEstimateRequest.schema,
      examples: {
        default: { platform: "retailer_d", item_count: 2_000, every: "1h" },
        existing: { watchlist_id: watchlist.id, every: "30m" },
        pipeline: {
          platform: "retailer_d",
          item_count: 2_000,
          pipeline: {
            steps: [
              {
                id: "check",
                scraper: "retailer_d.standard",
                routes: [{ when: "changed", field: "price", op: "decreased", notify: true }],
              },
            ],
          },
        },
      },
    },
    answers: {
      200: {
        description: "The pipeline with its default values, and the estimated credits.",
        schema: estimateResponse,
        example: {
          object: "watchlist_estimate",
          platform: "retailer_d",
          marketplace: "us",
          items: 2_000,
          pipeline: watchlist.pipeline,
          default_pipeline: true,
          estimated_credits: { pulseRun: 2_000, refreshRun: 2_000, newAsins: 2_000 },
          blocked_by_limit: null,
          blocked_steps: [],
          forecast: { day: account.forecast.day, month: account.forecast.month },
          account_forecast: account.forecast,
        },
      },
    },
    refusals: [404, 501],
  },
  "GET /v1/watchlists/schedule": {
    id: "previewSchedule",
    tag: "Watchlists",
    summary: "Preview a schedule",
    description:
      "Lists the first times after `after` at which a watchlist with this `every`, or this " +
      "`cron` in `timezone`, runs. A cadence counts from `after`. Multiply `runs_in_30_days` by " +
      "the credits of a run to get the credits of a month. Free.",
    query: schedulePreviewFields,
    queryExamples: { cron: "0 12 * * *", timezone: "Europe/Berlin", after: "2026-11-21T00:00:00Z" },
    sampleQuery: ["cron", "timezone"],
    answers: {
      200: {
        description: "The schedule and its next times.",
        schema: schedulePreviewResponse,
        example: {
          object: "schedule_preview",
          schedule: { type: "cron", cron: "0 12 * * *", timezone: "Europe/Berlin" },
          next_run_times: ["2026-11-21T11:00:00.000Z", "2026-11-22T11:00:00.000Z"],
          runs_in_30_days: 30,
        },
      },
    },
  },
  "GET /v1/watchlists/sources": {
    id: "listSources",
    tag: "Watchlists",
    summary: "List the health of the sources",
    description:
      "Lists how the source of each scraper answered the reads of all accounts, in the last hour and in " +
      "the last 24 hours. Both periods begin at a full quarter of an hour, and the numbers are up to two " +
      "minutes old. Free.",
    answers: {
      200: {
        description: "One source for each scraper.",
        schema: sourcesResponse,
        example: { object: "list", data: [source] },
      },
    },
  },
  "GET /v1/watchlists/scrapers": {
    id: "listScrapers",
    tag: "Watchlists",
    summary: "List scrapers and templates",
    description:
      "Lists the scrapers that a pipeline step can use, and complete pipelines as templates. " +
      "Free.",
    query: scrapersQuery,
    queryExamples: { platform: "retailer_d" },
    answers: {
      200: {
        description: "Scrapers and templates of a platform.",
        schema: scrapersResponse,
        example: presentScrapers({ platform: "retailer_d", marketplace: "us" }),
      },
    },
    refusals: [501],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
