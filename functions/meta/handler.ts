import * as accountStores from "../composition/account-stores.ts";
import { countingMiddleware } from "../composition/middleware.ts";
import * as provide from "../composition/process.ts";
import { cachedCheck } from "../../shared/base/cached-check.ts";
import { endpointRemoved, unknownEndpoint } from "../../shared/base/errors.ts";
import { type EnvironmentOf, readEnvironment } from "../environment.ts";
import { groupHandler, type HttpHandler } from "../http/group-handler.ts";
import { type AnyRoute, route } from "../http/route.ts";
import { clock, type Overrides } from "../composition/overrides.ts";
import { agentProfileRoute } from "./agent-profile.ts";
import { healthFreshMs, healthRoute } from "./health.ts";
import { openApiRoute } from "./openapi.ts";
import { assetRoute, indexRoute, pageRoute } from "./page.ts";
import { changelogRoute, llmsRoute, postmanRoute, schemaRoute } from "./published.ts";
import { rootRoute } from "./root.ts";

/** Returns 410 for the endpoints of earlier versions (specification, section "Meta"). */
const retired: AnyRoute<unknown> = route({
  handle: () => {
    throw endpointRemoved();
  },
});

const unknownPath: AnyRoute<unknown> = route({
  handle: () => {
    throw unknownEndpoint();
  },
});

/** The routes of the group `meta`. All are public, so that clients without a key can call them. */
export const metaRoutes = {
  "GET /": rootRoute,
  "GET /v1/health": healthRoute,
  "GET /v1/openapi.json": openApiRoute,
  "GET /v1/agent_profiles/{version}": agentProfileRoute,
  "GET /v1/changelog": changelogRoute,
  "GET /v1/postman.json": postmanRoute,
  "GET /v1/schemas/{name}": schemaRoute,
  "GET /llms.txt": llmsRoute,
  "GET /docs": indexRoute,
  "GET /docs/{page}": pageRoute,
  "GET /docs/assets/{file}": assetRoute,
  "ANY /v1/scrape": retired,
  "ANY /v1/scrape/{proxy+}": retired,
  "ANY /v1/jobs": retired,
  "ANY /v1/jobs/{proxy+}": retired,
  "ANY /v1/batches": retired,
  "ANY /v1/batches/{proxy+}": retired,
  "ANY /{proxy+}": unknownPath,
};

/**
 * Creates the HTTP handler of the documentation, the health check, and retired and unknown paths.
 * @param overrides replacements of dependencies, for tests and the local world
 */
export function createHandler(
  environment: EnvironmentOf<"meta">,
  overrides: Overrides = {},
): HttpHandler {
  return groupHandler({
    group: "meta",
    routes: metaRoutes,
    dependencies: {
      ...countingMiddleware(environment, "meta", overrides),
      database: cachedCheck({
        check: accountStores.databaseCheck(environment, overrides),
        freshMs: healthFreshMs,
        clock: clock(overrides),
      }),
    },
  });
}

export const handler = provide.onFirstCall(() =>
  createHandler(readEnvironment("meta", process.env)),
);
