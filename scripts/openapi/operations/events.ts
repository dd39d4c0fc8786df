import type { RouteKey } from "../../../functions/routes.ts";
import { eventsQuery } from "../../../shared/events/event-list-schema.ts";
import { eventsResponse, runEventSchema } from "../event-schema.ts";
import { webhookDeliverySchema } from "../../../shared/webhooks/delivery-schema.ts";
import { sendEventBody } from "../../../shared/webhooks/send-event.ts";
import { eventChanged } from "../../../tools/documents/examples/events.ts";
import { delivery, endpoint } from "../../../tools/documents/examples/webhooks.ts";
import type { Operation } from "../operation.ts";

const path = { id: { description: "ID of an event.", example: eventChanged.id } };

export const eventOperations = {
  "GET /v1/events": {
    id: "listEvents",
    tag: "Webhooks",
    summary: "List events",
    description:
      "Lists every event that runs made in the last 30 days, in the order of their publication, " +
      "including events that no endpoint receives. Use it to catch up on missed webhooks, or instead " +
      "of webhooks. Free.\n\nSend `next_after` as `after` until `has_more` is false, and store " +
      "the last `next_after`: later events come after it. No event is skipped or repeated. A page can " +
      "have fewer events than `limit`, or none, while `has_more` is true. It has at most 3 MB, " +
      "unless one event is larger.\n\nIf the service no longer has the event in `after`, for " +
      "example after 30 days, the list continues from the time in the event's ID. Nothing is skipped, " +
      "and some events can come again. With a time as `after`, the first page starts with the " +
      "first event of that time or later.\n\n`webhook.test` events belong to their endpoint and " +
      "are not listed.",
    query: eventsQuery,
    queryExamples: { type: "watchlist.product.changed", after: eventChanged.id },
    answers: {
      200: {
        description: "Events, oldest first.",
        schema: eventsResponse,
        example: {
          object: "list",
          data: [eventChanged],
          has_more: false,
          next_after: eventChanged.id,
        },
      },
    },
  },
  "GET /v1/events/{id}": {
    id: "getEvent",
    tag: "Webhooks",
    summary: "Get an event",
    description:
      "Returns the event, byte for byte as webhooks send it. Returns 404 for an event older " +
      "than 30 days. The service does not store `webhook.test` events: get their delivery to " +
      "see the body.",
    path,
    answers: { 200: { description: "The event.", schema: runEventSchema, example: eventChanged } },
    refusals: [404],
  },
  "POST /v1/events/{id}/send": {
    id: "sendEvent",
    tag: "Webhooks",
    summary: "Send an event to one webhook endpoint",
    description:
      "Sends the event to one endpoint, even if the endpoint received it before or does not " +
      "receive its type. The body has the same bytes, signed with the endpoint's secret, and is " +
      "retried on the schedule of webhooks. The delivery is in the log immediately. Repeating the call " +
      "before the delivery is sent changes nothing. Returns 404 for an unknown event and for one " +
      "older than 30 days, 400 for an unknown endpoint, and 409 for a disabled one.",
    path,
    body: {
      schema: sendEventBody,
      examples: { endpoint: { webhook_endpoint_id: endpoint.id } },
    },
    answers: {
      202: {
        description: "The delivery, which is pending.",
        schema: webhookDeliverySchema,
        example: {
          ...delivery,
          attempt_count: 0,
          last_attempt_at: null,
          last_status: null,
          last_error: null,
        },
      },
    },
    refusals: [404, 409],
  },
} as const satisfies { readonly [Key in RouteKey]?: Operation };
