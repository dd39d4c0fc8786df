import { answerBytesMax, keyMiddleware } from "../composition/middleware.ts";
import * as provide from "../composition/process.ts";
import { ledger } from "../composition/ledger.ts";
import { cancelQueue } from "../composition/on-first-use/queues.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../composition/overrides.ts";
import { preloadSources, sources } from "../composition/sources.ts";
import { checkOffersRoute } from "./check.ts";
import { readOffersRoute } from "./read.ts";

/** The routes of the group `offers`. */
export const offerRoutes = {
  "POST /v1/offers": readOffersRoute,
  "POST /v1/offers/check": checkOffersRoute,
};

/**
 * Creates the HTTP handler of the offers routes, from its environment variables.
 * @param overrides replacements of dependencies, for tests and the local world
 * @throws Error if SOURCES is invalid
 */
export function createHandler(
  environment: EnvironmentOf<"offers">,
  overrides: Overrides = {},
): HttpHandler {
  const middleware = keyMiddleware(environment, "offers", overrides);
  return groupHandler({
    group: "offers",
    routes: offerRoutes,
    dependencies: {
      ...middleware,
      ...sources(environment, "offers", overrides),
      ledger: ledger(environment, "offers", overrides),
      cancels: cancelQueue(environment, overrides),
      answerBytesMax: answerBytesMax(environment),
    },
    readBalance: async (accountId) => (await middleware.accounts.get(accountId))?.balance,
    streamed: environment.RESPONSE_MODE === "stream",
  });
}

await preloadSources(process.env["SOURCES"]);

const create = (): HttpHandler => createHandler(readEnvironment("offers", process.env));

/**
 * The handler of the Lambda function. A streaming handler is created at import, because the Lambda
 * runtime recognizes it by a property of the function, which a wrapper would hide.
 */
export const handler =
  process.env["RESPONSE_MODE"] === "stream" ? create() : provide.onFirstCall(create);
