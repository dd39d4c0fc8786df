import type { RouteKey } from "../../../functions/routes.ts";
import { newEndpointBody } from "../../../shared/webhooks/endpoint.ts";
import {
  webhookEndpointSchema,
  webhookEndpointsResponse,
  webhookEndpointWithSecretSchema,
} from "../../../shared/webhooks/endpoint-schema.ts";
import type { Operation } from "../operation.ts";

const endpoint = {
  id: "we_8fj2m4q9x0c7v5b3n1k6z2wh",
  object: "webhook_endpoint",
  url: "https://receiver.example.com/hooks",
  description: "Prices",
  events: ["watchlist.product.changed", "watchlist.run.completed"],
  enabled: true,
  secret_hint: "x9Qk",
  previous_secret_expires_at: null,
  created_at: "2026-11-21T01:09:35.668Z",
  updated_at: "2026-11-21T01:09:35.668Z",
};

export const webhookOperations = {
  "GET /v1/webhook_endpoints": {
    id: "listWebhookEndpoints",
    tag: "Webhooks",
    summary: "List webhook endpoints",
    description: "All of them, oldest first, without secrets.",
    answers: {
      200: {
        description: "The account's webhook endpoints.",
        schema: webhookEndpointsResponse,
        example: { object: "list", data: [endpoint], has_more: false },
      },
    },
  },
  "POST /v1/webhook_endpoints": {
    id: "createWebhookEndpoint",
    tag: "Webhooks",
    summary: "Register a webhook endpoint",
    description:
      "HTTPS, a public host, port 443 or 1024 to 65535; a URL once per account, ten endpoints at " +
      "most. Not idempotent by design: the secret is shown once.",
    body: {
      schema: newEndpointBody,
      examples: {
        endpoint: { url: "https://receiver.example.com/hooks", description: "Prices" },
      },
    },
    answers: {
      201: {
        description: "Registered, with its signing secret.",
        schema: webhookEndpointWithSecretSchema,
        example: { ...endpoint, secret: "whsec_0123456789abcdefghijklmnopqrstux9Qk" },
      },
    },
    refusals: [409],
  },
  "GET /v1/webhook_endpoints/{id}": {
    id: "getWebhookEndpoint",
    tag: "Webhooks",
    summary: "Get a webhook endpoint",
    description: "Without its secret.",
    path: { id: { description: "Id of a webhook endpoint.", example: endpoint.id } },
    answers: {
      200: { description: "It.", schema: webhookEndpointSchema, example: endpoint },
    },
    refusals: [404],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
