import * as v from "valibot";
import type { RouteKey } from "../../../functions/routes.ts";
import { healthFreshMs, healthResponse } from "../../../functions/meta/health.ts";
import { version } from "../../../shared/base/version.ts";
import { protocolVersions } from "../../../shared/sources/storefront/agent-profile.ts";
import { schemaNames } from "../../../functions/meta/published.ts";
import type { Operation } from "../operation.ts";

const entries = (description: string) => v.pipe(v.array(v.string()), v.description(description));
const changelogResponse = v.object({
  object: v.literal("list"),
  data: v.pipe(
    v.array(
      v.object({
        object: v.literal("release"),
        version: v.pipe(
          v.nullable(v.string()),
          v.description("Null for changes that no release has yet."),
        ),
        date: v.pipe(v.nullable(v.string()), v.description("The day of the release (ISO 8601).")),
        added: entries("What is new."),
        changed: entries("What works differently."),
        deprecated: entries("What a later release will remove."),
        removed: entries("What no longer exists."),
        fixed: entries("Errors that were corrected."),
      }),
    ),
    v.description("Newest first."),
  ),
});

export const metaOperations = {
  "GET /v1/health": {
    id: "getHealth",
    tag: "Meta",
    summary: "Check whether the service responds",
    description:
      "For load balancers and uptime monitors. Public. Returns 200 if the service and its database " +
      "respond, and 503 if the database does not respond. The service checks the database at most every " +
      `${healthFreshMs / 1_000} seconds in each process and returns that result until the next check.`,
    answers: {
      200: {
        description: "The service responds.",
        schema: healthResponse,
        example: { object: "health", status: "ok", version },
      },
    },
    cached: false,
  },
  "GET /v1/openapi.json": {
    id: "getOpenApiDocument",
    tag: "Meta",
    summary: "Get this document",
    description:
      "Returns the OpenAPI 3.1 document of this API, with the address that you called as its " +
      "server. Public.",
    answers: { 200: { description: "The OpenAPI 3.1 document.", mediaType: "application/json" } },
  },
  "GET /v1/agent_profiles/{version}": {
    id: "getAgentProfile",
    tag: "Meta",
    summary: "Get the agent profile of the service",
    description:
      "Returns the profile with which the service introduces itself to stores of the Universal " +
      "Commerce Protocol. It declares one version of the protocol, and that the service reads and " +
      "searches catalogs. Stores read it when the service reads their items. Public.",
    path: {
      version: { description: "A version of the protocol.", example: protocolVersions[0] },
    },
    answers: {
      200: {
        description: "The profile, a document of the protocol.",
        mediaType: "application/json",
      },
    },
    refusals: [404],
  },
  "GET /v1/changelog": {
    id: "listReleases",
    tag: "Meta",
    summary: "List what changed in the API",
    description:
      "Returns the changes of each release, newest first. Changes without a release have `version` null. " +
      "`/docs/changelog` shows the same changes as a page. Public.",
    answers: {
      200: {
        description: "The releases.",
        schema: changelogResponse,
        example: {
          object: "list",
          data: [
            {
              object: "release",
              version: "0.2.0",
              date: "2026-11-23",
              added: ["`rows` of the S3 destination."],
              changed: [],
              deprecated: [],
              removed: [],
              fixed: [],
            },
          ],
        },
      },
    },
  },
  "GET /v1/postman.json": {
    id: "getPostmanCollection",
    tag: "Meta",
    summary: "Get this API as a Postman collection",
    description:
      "Returns a Postman collection 2.1 with every call. Set the variables `baseUrl` and `bearerToken` after " +
      "you import it. Public.",
    answers: { 200: { description: "The collection.", mediaType: "application/json" } },
  },
  "GET /v1/schemas/{name}": {
    id: "getSchema",
    tag: "Meta",
    summary: "Get the JSON Schema of an event or a manifest",
    description:
      "Returns the JSON Schema (draft 2020-12) of the bodies of one event type, or of the manifest of an " +
      "export. The addresses stay the same in every release. Public.",
    path: {
      name: {
        description: `One of ${schemaNames.join(", ")}.`,
        example: "watchlist.product.changed",
      },
    },
    answers: { 200: { description: "The schema.", mediaType: "application/schema+json" } },
    refusals: [404],
  },
  "GET /llms.txt": {
    id: "getLlmsText",
    tag: "Meta",
    summary: "List the documents for programs that read text",
    description:
      "Returns a short description of the service and the addresses of its documents. Public.",
    answers: { 200: { description: "The text.", mediaType: "text/plain" } },
  },
  "GET /dashboard": {
    id: "getDashboard",
    tag: "Meta",
    summary: "Open the account dashboard",
    description:
      "Returns the account dashboard. It asks for an API key and uses the calls of this " +
      "document only. Public.",
    answers: { 200: { description: "The dashboard page." } },
  },
  "GET /docs": {
    id: "getDocs",
    tag: "Meta",
    summary: "List and search the documentation",
    description:
      "Public. The page lists the guides and the API reference, and searches the guides.",
    answers: { 200: { description: "The index page." } },
  },
  "GET /docs/{page}": {
    id: "getDocsPage",
    tag: "Meta",
    summary: "Read a page of the documentation",
    description:
      "Public. `reference` describes every call and lets you try it. `errors` has one anchor per " +
      "error code, such as `/docs/errors#RATE_LIMITED`. `sandbox` lists the IDs with scripted " +
      "behavior, `upstream` the contract for a source of your own. `/docs` lists all pages.",
    path: { page: { description: "Name of a page.", example: "errors" } },
    answers: { 200: { description: "The page." } },
    refusals: [404],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
