import * as accountStores from "../composition/account-stores.ts";
import * as deliveryStores from "../composition/delivery-stores.ts";
import { keyMiddleware } from "../composition/middleware.ts";
import * as provide from "../composition/process.ts";
import * as stores from "../composition/watchlist-stores.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../composition/overrides.ts";
import { createApiKeyRoute } from "./create-api-key.ts";
import { deleteApiKeyRoute } from "./delete-api-key.ts";
import { getAccountRoute } from "./get.ts";
import { listApiKeysRoute } from "./list-api-keys.ts";
import { listCreditTransactionsRoute } from "./list-credit-transactions.ts";
import { updateAccountRoute } from "./update.ts";
import { getUsageRoute } from "./usage.ts";

/** The routes of the group `account`. */
export const accountRoutes = {
  "GET /v1/account": getAccountRoute,
  "PATCH /v1/account": updateAccountRoute,
  "GET /v1/usage": getUsageRoute,
  "GET /v1/credit_transactions": listCreditTransactionsRoute,
  "GET /v1/api_keys": listApiKeysRoute,
  "POST /v1/api_keys": createApiKeyRoute,
  "DELETE /v1/api_keys/{id}": deleteApiKeyRoute,
};

/**
 * Creates the HTTP handler of the account routes, from its environment variables.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"account">,
  overrides: Overrides = {},
): HttpHandler {
  return groupHandler({
    group: "account",
    routes: accountRoutes,
    dependencies: {
      ...keyMiddleware(environment, "account", overrides),
      apiKeys: accountStores.apiKeys(environment, overrides),
      endpoints: deliveryStores.endpoints(environment, overrides),
      history: accountStores.creditHistory(environment, overrides),
      usage: accountStores.usageStore(environment, overrides),
      watchlists: stores.watchlists(environment, overrides),
      runs: stores.runs(environment, overrides),
      budgets: accountStores.dailyBudgets(environment, overrides),
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("account", process.env)),
);
