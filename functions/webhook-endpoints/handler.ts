import * as provide from "../composition/dependencies.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../composition/overrides.ts";
import { createRoute } from "./create.ts";
import { deleteRoute } from "./delete.ts";
import { getDeliveryRoute } from "./get-delivery.ts";
import { getRoute } from "./get.ts";
import { listDeliveriesRoute } from "./list-deliveries.ts";
import { listEndpointDeliveriesRoute } from "./list-endpoint-deliveries.ts";
import { listRoute } from "./list.ts";
import { recoverRoute } from "./recover.ts";
import { redeliverRoute } from "./redeliver.ts";
import { rotateRoute } from "./rotate.ts";
import { testRoute } from "./test.ts";
import { updateRoute } from "./update.ts";

export const endpointRoutes = {
  "GET /v1/webhook_endpoints": listRoute,
  "POST /v1/webhook_endpoints": createRoute,
  "GET /v1/webhook_endpoints/{id}": getRoute,
  "PATCH /v1/webhook_endpoints/{id}": updateRoute,
  "DELETE /v1/webhook_endpoints/{id}": deleteRoute,
  "POST /v1/webhook_endpoints/{id}/rotate": rotateRoute,
  "POST /v1/webhook_endpoints/{id}/test": testRoute,
  "GET /v1/webhook_endpoints/{id}/deliveries": listEndpointDeliveriesRoute,
  "POST /v1/webhook_endpoints/{id}/recover": recoverRoute,
  "GET /v1/webhook_deliveries": listDeliveriesRoute,
  "GET /v1/webhook_deliveries/{id}": getDeliveryRoute,
  "POST /v1/webhook_deliveries/{id}/redeliver": redeliverRoute,
};

export function createHandler(
  environment: EnvironmentOf<"webhook-endpoints">,
  overrides: Overrides = {},
): HttpHandler {
  const edge = provide.edge(environment, "webhook-endpoints", overrides);
  return groupHandler({
    group: "webhook-endpoints",
    routes: endpointRoutes,
    dependencies: {
      ...edge,
      warn: provide.warnThrough(edge.logger),
      ...provide.endpointRegistration(environment, overrides),
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("webhook-endpoints", process.env)),
);
