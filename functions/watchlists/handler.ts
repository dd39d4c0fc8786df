import * as accountStores from "../composition/account-stores.ts";
import * as deliveryStores from "../composition/delivery-stores.ts";
import { keyMiddleware } from "../composition/middleware.ts";
import * as provide from "../composition/process.ts";
import { schedules } from "../composition/on-first-use/schedules.ts";
import * as queues from "../composition/on-first-use/queues.ts";
import * as stores from "../composition/watchlist-stores.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../composition/overrides.ts";
import { windowMs } from "../../shared/source-health/health-window.ts";
import { sourceHealth } from "../composition/source-health.ts";
import { sources } from "../composition/on-first-use/sources.ts";
import { ledger } from "../composition/on-first-use/ledger.ts";
import { deleteWatchlistRoute } from "./delete.ts";
import { getRunRoute } from "./get-run.ts";
import { getItemRoute } from "./get-item.ts";
import { getWatchlistRoute } from "./get.ts";
import { listItemsRoute } from "./list-items.ts";
import { listRunsRoute } from "./list-runs.ts";
import { listWatchlistsRoute } from "./list.ts";
import { startRunRoute } from "./run-now.ts";

/**
 * Loads the routes whose operations need much code. They are loaded when one of them is first
 * called, so that reads of watchlists do not wait for this code.
 */
const large = () => import("./large-routes.ts");

/**
 * The routes of the group `watchlists`. Fixed paths, such as `/estimate`, take precedence over
 * `{id}`.
 */
export const watchlistRoutes = {
  "GET /v1/watchlists": listWatchlistsRoute,
  "POST /v1/watchlists": async () => (await large()).createWatchlistRoute,
  "POST /v1/watchlists/estimate": async () => (await large()).estimatePipelineRoute,
  "GET /v1/watchlists/schedule": async () => (await large()).schedulePreviewRoute,
  "GET /v1/watchlists/scrapers": async () => (await large()).listScrapersRoute,
  "GET /v1/watchlists/sources": async () => (await large()).listSourcesRoute,
  "GET /v1/watchlists/{id}": getWatchlistRoute,
  "PATCH /v1/watchlists/{id}": async () => (await large()).updateWatchlistRoute,
  "DELETE /v1/watchlists/{id}": deleteWatchlistRoute,
  "POST /v1/watchlists/{id}/run": startRunRoute,
  "POST /v1/watchlists/{id}/backtest": async () => (await large()).backtestRoute,
  "GET /v1/watchlists/{id}/backtests/{backtest_id}": async () => (await large()).getBacktestRoute,
  "POST /v1/watchlists/{id}/preview": async () => (await large()).previewRoute,
  "GET /v1/watchlists/{id}/runs": listRunsRoute,
  "GET /v1/watchlists/{id}/runs/{run_number}": getRunRoute,
  "POST /v1/watchlists/{id}/runs/{run_number}/release": async () => (await large()).releaseRunRoute,
  "POST /v1/watchlists/{id}/runs/{run_number}/discard": async () => (await large()).discardRunRoute,
  "GET /v1/watchlists/{id}/items": listItemsRoute,
  "POST /v1/watchlists/{id}/items": async () => (await large()).changeItemsRoute,
  "GET /v1/watchlists/{id}/items/{item_id}": getItemRoute,
  "GET /v1/watchlists/{id}/items/{item_id}/history": async () => (await large()).itemHistoryRoute,
  "GET /v1/watchlists/{id}/changes": async () => (await large()).listWatchlistChangesRoute,
  "POST /v1/watchlists/{id}/asins": async () => (await large()).changeAsinsRoute,
  "GET /v1/changes": async () => (await large()).listAccountChangesRoute,
  "GET /v1/watchlists/items": async () => (await large()).searchItemsRoute,
};

/**
 * Creates the HTTP handler of the watchlist routes, from its environment variables.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"watchlists">,
  overrides: Overrides = {},
): HttpHandler {
  const middleware = keyMiddleware(environment, "watchlists", overrides);
  return groupHandler({
    group: "watchlists",
    routes: watchlistRoutes,
    dependencies: {
      ...middleware,
      warn: provide.warnTo(middleware.logger),
      budgets: accountStores.dailyBudgets(environment, overrides),
      watchlists: stores.watchlists(environment, overrides),
      pages: stores.pages(environment, overrides),
      stockItems: stores.stockItems(environment, overrides),
      purges: stores.purges(environment, overrides),
      keys: stores.idempotencyKeys(environment, overrides),
      runs: stores.runs(environment, overrides),
      steps: stores.steps(environment, overrides),
      queue: queues.runQueue(environment, overrides),
      schedules: schedules(environment, overrides),
      endpoints: deliveryStores.endpoints(environment, overrides),
      history: stores.history(environment, overrides),
      backtests: stores.backtests(environment, overrides),
      backtestQueue: queues.backtestQueue(environment, overrides),
      ...sources(environment, "watchlists", overrides),
      readHealth: sourceHealth(environment, "watchlists", { spanMs: windowMs.lastDay, overrides }),
      ledger: ledger(environment, "watchlists", overrides),
      cancels: queues.cancelQueue(environment, overrides),
    },
    readBalance: async (accountId) => (await middleware.accounts.get(accountId))?.balance,
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("watchlists", process.env)),
);
