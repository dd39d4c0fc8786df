import * as provide from "../composition/dependencies.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../composition/overrides.ts";
import { fileRoute } from "./file.ts";
import { indexRoute } from "./page.ts";

/** Public, as the page itself asks for the key and works by the API alone. */
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
      ...provide.keylessMiddleware(environment, "dashboard", overrides),
      demoApiKey: demoApiKey === "none" ? null : demoApiKey,
    },
    streamed: environment.RESPONSE_MODE === "stream",
  });
}

const create = (): HttpHandler => createHandler(readEnvironment("dashboard", process.env));

/** The runtime knows a streaming handler by a mark on the exported function: it cannot be wrapped. */
export const handler =
  process.env["RESPONSE_MODE"] === "stream" ? create() : provide.onFirstCall(create);
