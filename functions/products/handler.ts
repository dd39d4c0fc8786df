import { answerBytesMax, keyMiddleware } from "../composition/middleware.ts";
import * as provide from "../composition/process.ts";
import { ledger } from "../composition/ledger.ts";
import { cancelQueue } from "../composition/on-first-use/queues.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../composition/overrides.ts";
import { sandbox } from "../composition/sandbox.ts";
import { preloadSources, sources } from "../composition/sources.ts";
import { readItemOffersRoute } from "./offers.ts";
import { readProductsRoute } from "./read.ts";
import { readSandboxRoute } from "./read-sandbox.ts";

/** The routes of the group `products`. */
export const productRoutes = {
  "POST /v1/products": readProductsRoute,
  "POST /v1/products/sandbox": readSandboxRoute,
  "GET /v1/products/{id}/offers": readItemOffersRoute,
};

/**
 * Creates the HTTP handler of the products routes, from its environment variables.
 * @param overrides replacements of dependencies, for tests and the local world
 * @throws Error if SOURCES is invalid
 */
export function createHandler(
  environment: EnvironmentOf<"products">,
  overrides: Overrides = {},
): HttpHandler {
  const middleware = keyMiddleware(environment, "products", overrides);
  return groupHandler({
    group: "products",
    routes: productRoutes,
    dependencies: {
      ...middleware,
      ...sources(environment, "products", overrides),
      sandbox: sandbox(overrides),
      ledger: ledger(environment, "products", overrides),
      cancels: cancelQueue(environment, overrides),
      answerBytesMax: answerBytesMax(environment),
    },
    readBalance: async (accountId) => (await middleware.accounts.get(accountId))?.balance,
    streamed: environment.RESPONSE_MODE === "stream",
  });
}

await preloadSources(process.env["SOURCES"]);

const create = (): HttpHandler => createHandler(readEnvironment("products", process.env));

/**
 * The handler of the Lambda function. A streaming handler is created at import, because the Lambda
 * runtime recognizes it by a property of the function, which a wrapper would hide.
 */
export const handler =
  process.env["RESPONSE_MODE"] === "stream" ? create() : provide.onFirstCall(create);
