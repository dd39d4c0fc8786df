import * as provide from "../dependencies.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../overrides.ts";
import { createRoute } from "./create.ts";
import { getRoute } from "./get.ts";
import { listRoute } from "./list.ts";

export function createHandler(
  environment: EnvironmentOf<"webhook-endpoints">,
  overrides: Overrides = {},
): HttpHandler {
  return groupHandler({
    group: "webhook-endpoints",
    routes: {
      "GET /v1/webhook_endpoints": listRoute,
      "POST /v1/webhook_endpoints": createRoute,
      "GET /v1/webhook_endpoints/{id}": getRoute,
    },
    dependencies: {
      ...provide.edge(environment, "webhook-endpoints"),
      ...provide.endpointRegistration(environment, overrides),
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("webhook-endpoints", process.env)),
);
