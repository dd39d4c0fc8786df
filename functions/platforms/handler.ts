import * as provide from "../composition/dependencies.ts";
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
 * @param overrides dependencies that tests replace
 */
export function createHandler(
  environment: EnvironmentOf<"platforms">,
  overrides: Overrides = {},
): HttpHandler {
  return groupHandler({
    group: "platforms",
    routes: platformRoutes,
    dependencies: {
      ...provide.countingMiddleware(environment, "platforms", overrides),
      readHealth: sourceHealth(environment, "platforms", { spanMs: windowMs.lastHour, overrides }),
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("platforms", process.env)),
);
