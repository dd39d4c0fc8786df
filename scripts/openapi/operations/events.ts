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
      "Every event that runs made in the last 30 days, whether an endpoint wanted it or not, in " +
      "the order in which they were published: to catch up on what a receiver missed, or to work " +
      "without one. Free.\n\n" +
      "Send `next_after` as `after` until `has_more` is false, and keep the last one: later events " +
      "come behind it. No event is left out or comes twice. A page may hold fewer events than " +
      "`limit`, or none, while `has_more` is true: it holds 3 MB at most, unless one event is " +
      "larger, and looks at a bounded number of runs.\n\n" +
      "When the event named in `after` is not found, as after 30 days, the list goes on from the " +
      "time in its id: nothing is left out, and some events may come again. A time as `after` " +
      "picks the beginning only; events that happened before it are left out of that page.\n\n" +
      "`webhook.test` events belong to their endpoint and are not listed.",
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
      "Returns the envelope, byte for byte as webhooks send it. Returns 404 for an event older than " +
      "30 days. A `webhook.test` event is not stored: the detail of its delivery has its body.",
    path,
    answers: { 200: { description: "The event.", schema: runEventSchema, example: eventChanged } },
    refusals: [404],
  },
  "POST /v1/events/{id}/send": {
    id: "sendEvent",
    tag: "Webhooks",
    summary: "Send an event to one webhook endpoint",
    description:
      "Sends the event to one endpoint, also when the endpoint received it before or does not " +
      "receive its type. The body has the same bytes, signed with the endpoint's secret, and is " +
      "retried on the schedule of webhooks. The delivery is in the log at once. Repeating the call " +
      "before the delivery is sent changes nothing. Returns 404 for an unknown event and for one " +
      "older than 30 days, 400 for an unknown endpoint, and 409 for a disabled one.",
    path,
    body: {
      schema: sendEventBody,
      examples: { endpoint: { webhook_endpoint_id: endpoint.id } },
    },
    answers: {
      202: {
        description: "The delivery, pending now.",
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
