import type { RouteKey } from "../../../functions/routes.ts";
import {
  deliveriesQuery,
  endpointDeliveriesQuery,
  webhookDeliveriesResponse,
  webhookDeliverySchema,
  webhookDeliveryWithAttemptsSchema,
} from "../../../shared/webhooks/delivery-schema.ts";
import {
  delivery,
  deliveryWithAttempts,
  endpoint,
} from "../../../tools/documents/examples/webhooks.ts";
import type { Operation } from "../operation.ts";

const path = { id: { description: "ID of the webhook delivery.", example: delivery.id } };
const queryExamples = {
  starting_after: delivery.id,
  state: "failed",
  since: "2026-11-21T00:00:00Z",
};
const page = {
  description: "Deliveries, newest first.",
  schema: webhookDeliveriesResponse,
  example: {
    object: "list",
    data: [delivery],
    has_more: true,
    next_starting_after: delivery.id,
  },
};

export const webhookDeliveryOperations = {
  "GET /v1/webhook_endpoints/{id}/deliveries": {
    id: "listWebhookEndpointDeliveries",
    tag: "Webhooks",
    summary: "List the deliveries to a webhook endpoint",
    description:
      "Lists the deliveries to the endpoint, newest first. The service keeps them for 30 days " +
      "and lists them as soon as they are pending. Continue with `next_starting_after` while " +
      "`has_more` is true: a page can have fewer entries than `limit`.",
    path: { id: { description: "ID of the webhook endpoint.", example: endpoint.id } },
    query: endpointDeliveriesQuery,
    queryExamples,
    answers: { 200: page },
    refusals: [404],
  },
  "GET /v1/webhook_deliveries": {
    id: "listWebhookDeliveries",
    tag: "Webhooks",
    summary: "List webhook deliveries",
    description:
      "Lists the deliveries of the account, newest first. The service keeps them for 30 days. A " +
      "delivery is listed as soon as it is pending, before its first attempt. Continue with " +
      "`next_starting_after` while `has_more` is true: a page can have fewer entries than " +
      "`limit`.",
    query: deliveriesQuery,
    queryExamples: { ...queryExamples, endpoint_id: endpoint.id },
    answers: { 200: page },
  },
  "GET /v1/webhook_deliveries/{id}": {
    id: "getWebhookDelivery",
    tag: "Webhooks",
    summary: "Get a webhook delivery",
    description:
      "Returns the delivery with its request body and its attempts: request headers, status, duration, " +
      "error, and the beginning of the response. It never contains the signing secret.",
    path,
    answers: {
      200: {
        description: "The delivery with its attempts.",
        schema: webhookDeliveryWithAttemptsSchema,
        example: deliveryWithAttempts,
      },
    },
    refusals: [404],
  },
  "POST /v1/webhook_deliveries/{id}/redeliver": {
    id: "redeliverWebhook",
    tag: "Webhooks",
    summary: "Send a webhook delivery again",
    description:
      "Sends the same event with the same bytes again, whatever the state of the delivery, and " +
      "restarts its retry schedule. Repeating the call before the delivery is sent changes " +
      "nothing. Returns 409 for a test delivery, and for an endpoint that is deleted or " +
      "disabled.",
    path,
    answers: {
      202: {
        description: "The delivery, which is pending.",
        schema: webhookDeliverySchema,
        example: { ...delivery, next_attempt_at: "2026-11-21T01:22:30.004Z" },
      },
    },
    refusals: [404, 409],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
