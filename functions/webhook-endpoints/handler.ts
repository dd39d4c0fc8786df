import { keyMiddleware } from "../composition/middleware.ts";
import * as provide from "../composition/process.ts";
import { endpointDependencies } from "../composition/endpoints.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../composition/overrides.ts";
import { createEndpointRoute } from "./create.ts";
import { deleteEndpointRoute } from "./delete.ts";
import { getDeliveryRoute } from "./get-delivery.ts";
import { getEndpointRoute } from "./get.ts";
import { listDeliveriesRoute } from "./list-deliveries.ts";
import { listEndpointDeliveriesRoute } from "./list-endpoint-deliveries.ts";
import { listEndpointsRoute } from "./list.ts";
import { recoverDeliveriesRoute } from "./recover.ts";
import { redeliverRoute } from "./redeliver.ts";
import { rotateSecretRoute } from "./rotate.ts";
import { testEndpointRoute } from "./test.ts";
import { updateEndpointRoute } from "./update.ts";

/** The routes of the group `webhook-endpoints`. */
export const endpointRoutes = {
  "GET /v1/webhook_endpoints": listEndpointsRoute,
  "POST /v1/webhook_endpoints": createEndpointRoute,
  "GET /v1/webhook_endpoints/{id}": getEndpointRoute,
  "PATCH /v1/webhook_endpoints/{id}": updateEndpointRoute,
  "DELETE /v1/webhook_endpoints/{id}": deleteEndpointRoute,
  "POST /v1/webhook_endpoints/{id}/rotate": rotateSecretRoute,
  "POST /v1/webhook_endpoints/{id}/test": testEndpointRoute,
  "GET /v1/webhook_endpoints/{id}/deliveries": listEndpointDeliveriesRoute,
  "POST /v1/webhook_endpoints/{id}/recover": recoverDeliveriesRoute,
  "GET /v1/webhook_deliveries": listDeliveriesRoute,
  "GET /v1/webhook_deliveries/{id}": getDeliveryRoute,
  "POST /v1/webhook_deliveries/{id}/redeliver": redeliverRoute,
};

/**
 * Creates the handler of the webhook routes.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"webhook-endpoints">,
  overrides: Overrides = {},
): HttpHandler {
  const middleware = keyMiddleware(environment, "webhook-endpoints", overrides);
  const { DOMAIN_NAME: domainName } = environment;
  return groupHandler({
    ...(domainName !== "none" && { domainName }),
    group: "webhook-endpoints",
    routes: endpointRoutes,
    dependencies: {
      ...middleware,
      warn: provide.warnTo(middleware.logger),
      ...endpointDependencies(environment, overrides),
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("webhook-endpoints", process.env)),
);
