import * as v from "valibot";
import { idParam } from "../base/id-param.ts";
import { isoTimeParam } from "../base/iso-time.ts";
import { limitParam } from "../base/limit-param.ts";
import { limits } from "../base/limits.ts";
import { oneOf } from "../base/valid-values.ts";
import { count, listOf, timestamp } from "../base/wire-schema.ts";
import { eventTypes } from "../events/event.ts";
import { deliveryStates } from "./delivery.ts";

/** Query of `GET /v1/webhook_endpoints/{id}/deliveries`. */
export const endpointDeliveriesQuery = v.object({
  limit: limitParam(limits.pagination.deliveries),
  starting_after: idParam("delivery", {
    message: "'starting_after' must be the ID of a webhook delivery, which begins with dlv_.",
    description: "`next_starting_after` of the previous page.",
  }),
  state: v.optional(
    v.pipe(oneOf("state", deliveryStates), v.description("Only deliveries in this state.")),
  ),
  event_type: v.optional(
    v.pipe(oneOf("event_type", eventTypes), v.description("Only deliveries of this event type.")),
  ),
  watchlist_id: idParam("watchlist", {
    message: "'watchlist_id' must be the ID of a watchlist, which begins with wl_.",
    description: "Only events of this watchlist.",
  }),
  since: v.optional(
    v.pipe(
      isoTimeParam("since"),
      v.description("Only deliveries of events created at this time or later."),
    ),
  ),
});

/** Query of `GET /v1/webhook_deliveries`. */
export const deliveriesQuery = v.object({
  ...endpointDeliveriesQuery.entries,
  endpoint_id: idParam("webhookEndpoint", {
    message: "'endpoint_id' must be the ID of a webhook endpoint, which begins with we_.",
    description: "Only deliveries to this endpoint. A deleted endpoint is accepted too.",
  }),
});

/** A delivery in the delivery log, without its attempts. */
export const webhookDeliverySchema = v.object({
  id: v.pipe(v.string(), v.description("Begins with dlv_.")),
  object: v.literal("webhook_delivery"),
  endpoint_id: v.string(),
  event_id: v.string(),
  event_type: v.string(),
  watchlist_id: v.nullable(v.pipe(v.string(), v.description("Null for a test delivery."))),
  run_id: v.nullable(v.pipe(v.string(), v.description("Null for a test delivery."))),
  state: v.pipe(
    v.picklist(deliveryStates),
    v.description("pending: not sent yet, or to be retried. failed: not retried automatically."),
  ),
  attempt_count: v.pipe(count, v.description("Number of requests sent to the receiver.")),
  last_attempt_at: v.nullable(timestamp),
  last_status: v.nullable(
    v.pipe(v.number(), v.integer(), v.description("HTTP status of the last response.")),
  ),
  last_error: v.nullable(
    v.pipe(
      v.string(),
      v.description("Error code, such as status_500, timeout or endpoint_disabled."),
    ),
  ),
  next_attempt_at: v.nullable(timestamp),
  created_at: v.pipe(timestamp, v.description("When the event was created.")),
});

/** Response 200 of `GET /v1/webhook_deliveries/{id}`. */
export const webhookDeliveryWithAttemptsSchema = v.object({
  ...webhookDeliverySchema.entries,
  request_body: v.nullable(
    v.pipe(
      v.string(),
      v.description(
        "Body of every request of the delivery, byte for byte: the event's envelope. " +
          "Null if the event was deleted after 30 days.",
      ),
    ),
  ),
  attempts: v.pipe(
    v.array(
      v.object({
        attempt: v.nullable(
          v.pipe(
            v.number(),
            v.integer(),
            v.minValue(1),
            v.description(
              "Number of the request, as in its `Service-Attempt` header: 1, 2, 3 ... Null if no " +
                "request was sent, such as for a refused address or a refused connection.",
            ),
          ),
        ),
        at: v.pipe(timestamp, v.description("Start of the attempt.")),
        status: v.nullable(v.pipe(v.number(), v.integer())),
        duration_ms: count,
        error: v.nullable(
          v.pipe(v.string(), v.description("Why the attempt failed. Null if it succeeded.")),
        ),
        response: v.nullable(
          v.pipe(v.string(), v.description("The first 1 KiB of the response body.")),
        ),
        request_headers: v.pipe(
          v.nullable(v.record(v.string(), v.string())),
          v.description(
            "The headers that the service set on the request, by name. Null if no request was sent, " +
              "or if it was sent before headers were logged.",
          ),
        ),
      }),
    ),
    v.description("The newest attempts, oldest first."),
  ),
});

/** Response 200 of the two routes that list deliveries, newest first. */
export const webhookDeliveriesResponse = v.object({
  ...listOf(webhookDeliverySchema).entries,
  next_starting_after: v.nullable(
    v.pipe(
      v.string(),
      v.description(
        "Send as `starting_after` to get the next page. Null if this is the last page. A page can have fewer entries than `limit`, or none.",
      ),
    ),
  ),
});
