import { keyMiddleware } from "../composition/middleware.ts";
import * as provide from "../composition/process.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../composition/overrides.ts";
import { refuseStructuredRoute } from "./call.ts";
import { listStructuredRoute } from "./list.ts";

/**
 * Creates the handler of `GET /v1/structured`, which lists the announced endpoints, and of these
 * endpoints. They are not available yet: a call gets 404 for an unknown platform or kind, otherwise
 * 501.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"structured">,
  overrides: Overrides = {},
): HttpHandler {
  return groupHandler({
    group: "structured",
    routes: {
      "GET /v1/structured": listStructuredRoute,
      "GET /v1/structured/{platform}/{kind}": refuseStructuredRoute,
      "POST /v1/structured/{platform}/{kind}": refuseStructuredRoute,
    },
    dependencies: keyMiddleware(environment, "structured", overrides),
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("structured", process.env)),
);
