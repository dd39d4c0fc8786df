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
import { testEndpointBody } from "../../../shared/webhooks/test-endpoint.ts";
import { endpoint, secret } from "../../../tools/documents/examples/webhooks.ts";
import type { Operation } from "../operation.ts";
import { probe } from "./probe.ts";

const path = { id: { description: "ID of the webhook endpoint.", example: endpoint.id } };

export const webhookOperations = {
  "GET /v1/webhook_endpoints": {
    id: "listWebhookEndpoints",
    tag: "Webhooks",
    summary: "List webhook endpoints",
    description: "Lists the webhook endpoints of the account, oldest first, without their secrets.",
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
      "Registers a URL that receives events. It must use HTTPS, a public host, and port 443 or " +
      "1024 to 65535. An account can register a URL once, and ten endpoints in all. The secret " +
      `is returned in this response only, so the call is not idempotent. ${probe}`,
    body: {
      schema: newEndpointBody,
      examples: {
        endpoint: { url: "https://receiver.example.com/hooks", description: "Prices" },
      },
    },
    answers: {
      201: {
        description: "The webhook endpoint with its signing secret.",
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
    description: "Returns a webhook endpoint with its status, without its secret.",
    path,
    answers: {
      200: {
        description: "The webhook endpoint.",
        schema: webhookEndpointSchema,
        example: endpoint,
      },
    },
    refusals: [404],
  },
  "PATCH /v1/webhook_endpoints/{id}": {
    id: "updateWebhookEndpoint",
    tag: "Webhooks",
    summary: "Change a webhook endpoint",
    description:
      "Changes the fields that you send; the secret never changes here. `description` null " +
      "clears it. `events` null means every type, an empty array none. Disabling an endpoint " +
      "records its pending deliveries as failed. The call is a probe if you send `url`.\n\n" +
      "`enabled: true` also enables an endpoint that the service disabled, and clears " +
      "`disabled_reason`, `failing_since` and `last_error`. A change of the URL clears only " +
      "`failing_since` and `last_error`. The service disables an endpoint when its receiver returns " +
      "410 (`gone`), or when a delivery " +
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
      200: {
        description: "The changed endpoint.",
        schema: webhookEndpointSchema,
        example: endpoint,
      },
    },
    refusals: [404],
  },
  "DELETE /v1/webhook_endpoints/{id}": {
    id: "deleteWebhookEndpoint",
    tag: "Webhooks",
    summary: "Delete a webhook endpoint",
    description:
      "Deletes the endpoint. Pending deliveries to it are recorded as failed, as are later " +
      "deliveries of watchlists that name it. After you register the same URL again, those " +
      "watchlists deliver to it from their next run. The delivery log stays.",
    path,
    answers: {
      200: {
        description: "The endpoint is deleted.",
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
      "Creates a new signing secret, returned in this response only. The service signs with it " +
      "immediately. For 24 hours it also signs with the replaced secret, in a second `v1=` " +
      "entry of the signature header, unless `overlap` is false. Older secrets are no longer " +
      "used.",
    path,
    body: {
      schema: rotateBody,
      examples: { overlap: {}, at_once: { overlap: false } },
      optional: true,
    },
    answers: {
      200: {
        description: "The webhook endpoint with its new secret.",
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
      "Sends one signed delivery now, without retries, and records it in the log. Its event is " +
      "`webhook.test`, or the `type` that you send, with invented values and the `watchlist_id` " +
      "`wl_test`. The event types of the endpoint do not matter. " +
      `${probe} A failure of the receiver is not an error of this call. ` +
      "A disabled endpoint receives nothing: `error` is " +
      "`endpoint_disabled`. A test changes neither `status` nor `last_success_at`, and a 410 to a " +
      "test disables nothing.",
    path,
    body: {
      schema: testEndpointBody,
      examples: { test: {}, changed: { type: "watchlist.product.changed" } },
    },
    answers: {
      200: {
        description: "The result of the delivery.",
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
      "Sends again what the endpoint missed from `since` to `until` (both inclusive): its " +
      "failed deliveries, and events that were never sent to it, for example while it was " +
      "disabled. Delivered events are not sent again. The service sends one delivery after the other, " +
      "the oldest run first. A delivery that fails again continues on the retry schedule.",
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
        description: "The recovery started. The delivery log shows its progress.",
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
