import { countingMiddleware } from "../composition/middleware.ts";
import * as provide from "../composition/process.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../composition/overrides.ts";
import { sourceHealth } from "../composition/source-health.ts";
import { windowMs } from "../../shared/source-health/health-window.ts";
import { listPlatformsRoute } from "./list.ts";

/** The routes of the group `platforms`. */
export const platformRoutes = { "GET /v1/platforms": listPlatformsRoute };

/**
 * Creates the handler of the platform routes.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"platforms">,
  overrides: Overrides = {},
): HttpHandler {
  return groupHandler({
    group: "platforms",
    routes: platformRoutes,
    dependencies: {
      ...countingMiddleware(environment, "platforms", overrides),
      readHealth: sourceHealth(environment, "platforms", { spanMs: windowMs.lastHour, overrides }),
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("platforms", process.env)),
);
