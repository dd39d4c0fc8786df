import type { RouteKey } from "../../../functions/routes.ts";
import { limits } from "../../../shared/base/limits.ts";
import {
  endpointPatchBody,
  newEndpointBody,
  rotateBody,
} from "../../../shared/webhooks/endpoint.ts";
import {
  webhookEndpointDeletedResponse,
  webhookEndpointSchema,
  webhookEndpointsResponse,
  webhookEndpointWithSecretSchema,
  webhookRecoveryResponse,
  webhookTestResponse,
} from "../../../shared/webhooks/endpoint-schema.ts";
import { recoverBody } from "../../../shared/webhooks/recover.ts";
import { endpoint, secret } from "../../../tools/documents/examples/webhooks.ts";
import type { Operation } from "../operation.ts";

const path = { id: { description: "Id of a webhook endpoint.", example: endpoint.id } };

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
        example: { ...endpoint, secret },
      },
    },
    refusals: [409],
  },
  "GET /v1/webhook_endpoints/{id}": {
    id: "getWebhookEndpoint",
    tag: "Webhooks",
    summary: "Get a webhook endpoint",
    description: "Without its secret.",
    path,
    answers: {
      200: { description: "It.", schema: webhookEndpointSchema, example: endpoint },
    },
    refusals: [404],
  },
  "PATCH /v1/webhook_endpoints/{id}": {
    id: "updateWebhookEndpoint",
    tag: "Webhooks",
    summary: "Change a webhook endpoint",
    description:
      "What is absent stays as it is, and the secret always does. `description` null clears it; " +
      "`events` null means every type, an empty array none. Disabling ends the deliveries that " +
      "are pending: they are recorded as failed.\n\n" +
      "`enabled: true` also enables an endpoint that the service disabled, and clears " +
      "`disabled_reason`, `failing_since` and `last_error`. Changing the URL clears the last two. " +
      "The service disables an endpoint when its receiver returns 410 (`gone`), or when a delivery " +
      `exhausts its retries after ${limits.webhookFailingDaysMax} days without a success ` +
      "(`failing`). `POST /v1/webhook_endpoints/{id}/recover` sends the missed events.",
    path,
    body: {
      schema: endpointPatchBody,
      examples: {
        disable: { enabled: false },
        everything: { events: null, description: null },
      },
    },
    answers: {
      200: { description: "As it is now.", schema: webhookEndpointSchema, example: endpoint },
    },
    refusals: [404],
  },
  "DELETE /v1/webhook_endpoints/{id}": {
    id: "deleteWebhookEndpoint",
    tag: "Webhooks",
    summary: "Delete a webhook endpoint",
    description:
      "Pending deliveries to it are recorded as failed, and so are later deliveries of watchlists " +
      "that name it. Once an endpoint is registered with the same URL, those watchlists deliver to it " +
      "from their next run on. The delivery log stays.",
    path,
    answers: {
      200: {
        description: "Deleted.",
        schema: webhookEndpointDeletedResponse,
        example: { id: endpoint.id, object: "webhook_endpoint", deleted: true },
      },
    },
    refusals: [404],
  },
  "POST /v1/webhook_endpoints/{id}/rotate": {
    id: "rotateWebhookSecret",
    tag: "Webhooks",
    summary: "Rotate the secret of a webhook endpoint",
    description:
      "The new secret signs at once and is shown in this answer only. The replaced one signs too " +
      "for 24 hours, in a second `v1=` entry of the signature header, unless `overlap` is false; " +
      "one from before it signs no more.",
    path,
    body: {
      schema: rotateBody,
      examples: { overlap: {}, at_once: { overlap: false } },
      optional: true,
    },
    answers: {
      200: {
        description: "Rotated, with the new secret.",
        schema: webhookEndpointWithSecretSchema,
        example: {
          ...endpoint,
          previous_secret_expires_at: "2026-11-22T03:10:00.000Z",
          updated_at: "2026-11-21T03:10:00.000Z",
          secret,
        },
      },
    },
    refusals: [404],
  },
  "POST /v1/webhook_endpoints/{id}/test": {
    id: "testWebhookEndpoint",
    tag: "Webhooks",
    summary: "Send a test delivery",
    description:
      "One signed `webhook.test` delivery now, without retries, recorded in the delivery log; up " +
      `to ${limits.webhookTestsPerMinute} a minute and endpoint, then 429. What the receiver does ` +
      "is no error of this call. A disabled endpoint is sent nothing: `error` is " +
      "`endpoint_disabled`. A test changes neither `status` nor `last_success_at`, and a 410 to a " +
      "test disables nothing.",
    path,
    answers: {
      200: {
        description: "What came of it.",
        schema: webhookTestResponse,
        example: {
          object: "webhook_test",
          endpoint_id: endpoint.id,
          delivered: true,
          status_code: 204,
          duration_ms: 112,
          error: null,
        },
      },
    },
    refusals: [404],
  },
  "POST /v1/webhook_endpoints/{id}/recover": {
    id: "recoverWebhookDeliveries",
    tag: "Webhooks",
    summary: "Send again what a webhook endpoint missed",
    description:
      "Every delivery to this endpoint that failed, and every event that was meant for it and was " +
      "never sent, as while it was disabled, whose event happened from `since` to `until` (both " +
      "inclusive). What was delivered is not sent again. The oldest run is sent first and each run " +
      "in its order, one delivery after the other; what fails goes to the retry schedule.",
    path,
    body: {
      schema: recoverBody,
      examples: {
        since: { since: "2026-11-20T00:00:00Z" },
        span: { since: "2026-11-20T00:00:00Z", until: "2026-11-20T06:00:00Z" },
      },
    },
    answers: {
      202: {
        description: "Begun; the delivery log shows how far it is.",
        schema: webhookRecoveryResponse,
        example: {
          object: "webhook_recovery",
          endpoint_id: endpoint.id,
          since: "2026-11-20T00:00:00.000Z",
          until: "2026-11-21T01:09:35.668Z",
        },
      },
    },
    refusals: [404, 409],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
