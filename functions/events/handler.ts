import { keyMiddleware } from "../composition/middleware.ts";
import * as provide from "../composition/process.ts";
import { eventDependencies } from "../composition/events.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../composition/overrides.ts";
import { getEventRoute } from "./get.ts";
import { listEventsRoute } from "./list.ts";
import { sendEventRoute } from "./send.ts";

/** The routes of the group `events`. */
export const eventRoutes = {
  "GET /v1/events": listEventsRoute,
  "GET /v1/events/{id}": getEventRoute,
  "POST /v1/events/{id}/send": sendEventRoute,
};

/**
 * Creates the handler of the calls of `/v1/events`.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"events">,
  overrides: Overrides = {},
): HttpHandler {
  const middleware = keyMiddleware(environment, "events", overrides);
  return groupHandler({
    group: "events",
    routes: eventRoutes,
    dependencies: {
      ...middleware,
      warn: provide.warnTo(middleware.logger),
      ...eventDependencies(environment, overrides),
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("events", process.env)),
);
