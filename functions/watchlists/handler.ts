import * as provide from "../composition/dependencies.ts";
import * as stores from "../composition/watchlist-stores.ts";
import { runQueue } from "../composition/run-queue.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../composition/overrides.ts";
import { windowMs } from "../../shared/source-health/health-window.ts";
import { sourceHealth } from "../composition/source-health.ts";
import { sources } from "../composition/sources.ts";
import { backtestRoute, getBacktestRoute } from "./backtest.ts";
import { changeAsinsRoute, changeItemsRoute } from "./change-items.ts";
import { createWatchlistRoute } from "./create.ts";
import { discardRunRoute, releaseRunRoute } from "./decide-hold.ts";
import { deleteWatchlistRoute } from "./delete.ts";
import { estimatePipelineRoute } from "./estimate.ts";
import { getRunRoute } from "./get-run.ts";
import { getItemRoute } from "./get-item.ts";
import { getWatchlistRoute } from "./get.ts";
import { itemHistoryRoute } from "./item-history.ts";
import { listAccountChangesRoute, listWatchlistChangesRoute } from "./list-changes.ts";
import { listItemsRoute } from "./list-items.ts";
import { listRunsRoute } from "./list-runs.ts";
import { listWatchlistsRoute } from "./list.ts";
import { previewRoute } from "./preview.ts";
import { startRunRoute } from "./run-now.ts";
import { schedulePreviewRoute } from "./schedule-preview.ts";
import { listScrapersRoute } from "./scrapers.ts";
import { listSourcesRoute } from "./sources.ts";
import { searchItemsRoute } from "./search-items.ts";
import { updateWatchlistRoute } from "./update.ts";

/** The routes of the group. Fixed paths, such as `/estimate`, take precedence over `{id}`. */
export const watchlistRoutes = {
  "GET /v1/watchlists": listWatchlistsRoute,
  "POST /v1/watchlists": createWatchlistRoute,
  "POST /v1/watchlists/estimate": estimatePipelineRoute,
  "GET /v1/watchlists/schedule": schedulePreviewRoute,
  "GET /v1/watchlists/scrapers": listScrapersRoute,
  "GET /v1/watchlists/sources": listSourcesRoute,
  "GET /v1/watchlists/{id}": getWatchlistRoute,
  "PATCH /v1/watchlists/{id}": updateWatchlistRoute,
  "DELETE /v1/watchlists/{id}": deleteWatchlistRoute,
  "POST /v1/watchlists/{id}/run": startRunRoute,
  "POST /v1/watchlists/{id}/backtest": backtestRoute,
  "GET /v1/watchlists/{id}/backtests/{backtest_id}": getBacktestRoute,
  "POST /v1/watchlists/{id}/preview": previewRoute,
  "GET /v1/watchlists/{id}/runs": listRunsRoute,
  "GET /v1/watchlists/{id}/runs/{run_number}": getRunRoute,
  "POST /v1/watchlists/{id}/runs/{run_number}/release": releaseRunRoute,
  "POST /v1/watchlists/{id}/runs/{run_number}/discard": discardRunRoute,
  "GET /v1/watchlists/{id}/items": listItemsRoute,
  "POST /v1/watchlists/{id}/items": changeItemsRoute,
  "GET /v1/watchlists/{id}/items/{item_id}": getItemRoute,
  "GET /v1/watchlists/{id}/items/{item_id}/history": itemHistoryRoute,
  "GET /v1/watchlists/{id}/changes": listWatchlistChangesRoute,
  "POST /v1/watchlists/{id}/asins": changeAsinsRoute,
  "GET /v1/changes": listAccountChangesRoute,
  "GET /v1/watchlists/items": searchItemsRoute,
};

/**
 * Creates the handler of the watchlist routes.
 * @throws Error if SOURCES is invalid
 */
export function createHandler(
  environment: EnvironmentOf<"watchlists">,
  overrides: Overrides = {},
): HttpHandler {
  const middleware = provide.middleware(environment, "watchlists", overrides);
  return groupHandler({
    group: "watchlists",
    routes: watchlistRoutes,
    dependencies: {
      ...middleware,
      warn: provide.warnTo(middleware.logger),
      budgets: provide.dailyBudgets(environment, overrides),
      watchlists: stores.watchlists(environment, overrides),
      pages: stores.pages(environment, overrides),
      purges: stores.purges(environment, overrides),
      keys: stores.idempotencyKeys(environment, overrides),
      runs: stores.runs(environment, overrides),
      steps: stores.steps(environment, overrides),
      queue: runQueue(environment, overrides),
      schedules: provide.schedules(environment, overrides),
      endpoints: provide.endpoints(environment, overrides),
      history: stores.history(environment, overrides),
      backtests: stores.backtests(environment, overrides),
      backtestQueue: provide.backtestQueue(environment, overrides),
      ...sources(environment, "watchlists", overrides),
      readHealth: sourceHealth(environment, "watchlists", { spanMs: windowMs.lastDay, overrides }),
      ledger: provide.ledger(environment, "watchlists", overrides),
      cancels: provide.cancelQueue(environment, overrides),
    },
    readBalance: async (accountId) => (await middleware.accounts.get(accountId))?.balance,
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("watchlists", process.env)),
);
