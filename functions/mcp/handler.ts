import * as accountStores from "../composition/account-stores.ts";
import * as deliveryStores from "../composition/delivery-stores.ts";
import { answerBytesMax, keyMiddleware } from "../composition/middleware.ts";
import * as provide from "../composition/process.ts";
import { windowMs } from "../../shared/source-health/health-window.ts";
import { ledger } from "../composition/on-first-use/ledger.ts";
import { schedules } from "../composition/on-first-use/schedules.ts";
import * as queues from "../composition/on-first-use/queues.ts";
import type { Overrides } from "../composition/overrides.ts";
import { sourceHealth } from "../composition/source-health.ts";
import { sources } from "../composition/on-first-use/sources.ts";
import * as stores from "../composition/watchlist-stores.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import { messageRoute, noSessions } from "./message-route.ts";
import { rpcErrorBody } from "./rpc-error.ts";

/**
 * Creates the HTTP handler of `/mcp`, from its environment variables.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"mcp">,
  overrides: Overrides = {},
): HttpHandler {
  const middleware = keyMiddleware(environment, "mcp", overrides);
  const { DOMAIN_NAME: domain, RESPONSE_MODE: mode } = environment;
  const dependencies = {
    ...middleware,
    domainName: domain === "none" ? undefined : domain,
    ...sources(environment, "mcp", overrides),
    warn: provide.warnTo(middleware.logger),
    ledger: ledger(environment, "mcp", overrides),
    cancels: queues.cancelQueue(environment, overrides),
    answerBytesMax: answerBytesMax(environment),
    readHealth: sourceHealth(environment, "mcp", { spanMs: windowMs.lastHour, overrides }),
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
  };
  return groupHandler({
    group: "mcp",
    routes: { "POST /mcp": messageRoute },
    wrongMethod: noSessions,
    errorBody: rpcErrorBody,
    dependencies,
    streamed: mode === "stream",
  });
}

const create = (): HttpHandler => createHandler(readEnvironment("mcp", process.env));

/**
 * The handler of the Lambda function. A streaming handler is created at import, because the Lambda
 * runtime recognizes it by a property of the function, which a wrapper would hide.
 */
export const handler =
  process.env["RESPONSE_MODE"] === "stream" ? create() : provide.onFirstCall(create);
