import type { RouteKey } from "../../../functions/routes.ts";
import type { Operation } from "../operation.ts";

export const metaOperations = {
  "GET /v1/openapi.json": {
    id: "getOpenApiDocument",
    tag: "Meta",
    summary: "Get this document",
    description: "Public.",
    answers: { 200: { description: "OpenAPI 3.1.", mediaType: "application/json" } },
  },
  "GET /dashboard": {
    id: "getDashboard",
    tag: "Meta",
    summary: "Open the account dashboard",
    description: "Public; it asks for an API key and works by the calls of this document alone.",
    answers: { 200: { description: "A page." } },
  },
  "GET /docs": {
    id: "getDocs",
    tag: "Meta",
    summary: "Read about the API and try calls",
    description: "Public.",
    answers: { 200: { description: "A page." } },
  },
  "GET /docs/errors": {
    id: "getErrorsPage",
    tag: "Meta",
    summary: "Read what every error code means",
    description: "Public. One anchor per code: `/docs/errors#RATE_LIMITED`.",
    answers: { 200: { description: "A page." } },
  },
  "GET /docs/sandbox": {
    id: "getSandboxPage",
    tag: "Meta",
    summary: "List the sandbox items with scripted results",
    description: "Public.",
    answers: { 200: { description: "A page." } },
  },
  "GET /docs/upstream": {
    id: "getUpstreamPage",
    tag: "Meta",
    summary: "Read how to serve data from a source of your own",
    description: "Public. The contract of the adapter `upstream`, with its JSON Schemas.",
    answers: { 200: { description: "A page." } },
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
