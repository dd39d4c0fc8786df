import * as provide from "../dependencies.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import type { Overrides } from "../overrides.ts";
import { getRoute } from "./get.ts";
import { putRoute } from "./put.ts";

export function createHandler(
  environment: EnvironmentOf<"s3-destination">,
  overrides: Overrides = {},
): HttpHandler {
  return groupHandler({
    group: "s3-destination",
    routes: { "GET /v1/s3_destination": getRoute, "PUT /v1/s3_destination": putRoute },
    dependencies: {
      ...provide.edge(environment, "s3-destination"),
      ...provide.destinationSetup(environment, overrides),
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("s3-destination", process.env)),
);
