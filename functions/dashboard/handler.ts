import { keylessMiddleware } from "../composition/middleware.ts";
import * as provide from "../composition/process.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../composition/overrides.ts";
import { fileRoute } from "./file.ts";
import { indexRoute } from "./page.ts";

/**
 * Creates the handler of the dashboard's files. The files are public, because the page asks for an
 * API key and then uses only the API.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"dashboard">,
  overrides: Overrides = {},
): HttpHandler {
  const { DEMO_API_KEY: demoApiKey } = environment;
  return groupHandler({
    group: "dashboard",
    routes: {
      "GET /dashboard": indexRoute,
      "GET /dashboard/{file}": fileRoute,
    },
    dependencies: {
      ...keylessMiddleware(environment, "dashboard", overrides),
      demoApiKey: demoApiKey === "none" ? null : demoApiKey,
    },
    streamed: environment.RESPONSE_MODE === "stream",
  });
}

const create = (): HttpHandler => createHandler(readEnvironment("dashboard", process.env));

/**
 * The handler of the Lambda function. A streaming handler is created at import, because the Lambda
 * runtime recognizes it by a property of the function, which a wrapper would hide.
 */
export const handler =
  process.env["RESPONSE_MODE"] === "stream" ? create() : provide.onFirstCall(create);
