import { keyMiddleware } from "../composition/middleware.ts";
import * as provide from "../composition/process.ts";
import { destinationDependencies } from "../composition/destination.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../composition/overrides.ts";
import { backfillRoute } from "./backfill.ts";
import { deleteDestinationRoute } from "./delete.ts";
import { getDestinationRoute } from "./get.ts";
import { listExportsRoute } from "./list-exports.ts";
import { putDestinationRoute } from "./put.ts";
import { testDestinationRoute } from "./test.ts";
import { updateDestinationRoute } from "./update.ts";

/**
 * Creates the handler of the calls of `/v1/s3_destination`.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"s3-destination">,
  overrides: Overrides = {},
): HttpHandler {
  const middleware = keyMiddleware(environment, "s3-destination", overrides);
  const { DOMAIN_NAME: domainName } = environment;
  return groupHandler({
    ...(domainName !== "none" && { domainName }),
    group: "s3-destination",
    routes: {
      "GET /v1/s3_destination": getDestinationRoute,
      "PUT /v1/s3_destination": putDestinationRoute,
      "PATCH /v1/s3_destination": updateDestinationRoute,
      "DELETE /v1/s3_destination": deleteDestinationRoute,
      "POST /v1/s3_destination/test": testDestinationRoute,
      "GET /v1/s3_destination/exports": listExportsRoute,
      "POST /v1/s3_destination/backfill": backfillRoute,
    },
    dependencies: {
      ...middleware,
      warn: provide.warnTo(middleware.logger),
      ...destinationDependencies(environment, overrides),
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("s3-destination", process.env)),
);
