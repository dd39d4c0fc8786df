import * as v from "valibot";
import { bestEffort, type Warn } from "../base/best-effort.ts";
import { eventNotFound } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import { addRefusedValue } from "../base/shown-value.ts";
import type { FeedSources } from "../events/feed-start.ts";
import { findEvent } from "../events/find-event.ts";
import { endpointTarget, type OutboxQueue } from "../outbox/outbox.ts";
import { type Delivery, newDelivery } from "./delivery.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import type { WebhookEndpoint } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { endpointDisabled, unknownEndpointId } from "./existing.ts";

/** Body of `POST /v1/events/{id}/send`. */
export const sendEventBody = v.object({
  webhook_endpoint_id: v.pipe(
    v.string(
      addRefusedValue(
        "'webhook_endpoint_id' must be the ID of a webhook endpoint, which begins with we_.",
      ),
    ),
    v.description("The endpoint to send the event to, regardless of its event types."),
  ),
});

export interface SendEventDependencies extends FeedSources {
  readonly endpoints: Pick<EndpointStore, "get">;
  readonly deliveries: Pick<DeliveryStore, "get" | "requestDelivery">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

export interface SendEventRequest {
  readonly accountId: string;
  readonly eventId: string;
  readonly endpointId: string;
  readonly now: Date;
}

/**
 * Makes the delivery of an event to one endpoint pending with a new retry schedule, even if the
 * event was delivered before. A repeated call has no effect while the delivery is pending. Returns
 * the delivery.
 * @throws 404 NOT_FOUND for an unknown event; 400 INVALID_PARAM for an unknown endpoint; 409
 * CONFLICT for a disabled endpoint
 */
export async function sendEvent(
  { accountId, eventId, endpointId, now }: SendEventRequest,
  dependencies: SendEventDependencies,
): Promise<Delivery> {
  const { deliveries, queue, warn } = dependencies;
  const foundEvent = await findEvent(accountId, eventId, dependencies);
  if (foundEvent === null) throw eventNotFound(eventId);
  await requireReceiver({ accountId, endpointId }, dependencies.endpoints);
  const { event, run } = foundEvent;
  const { watchlistId, runId } = run;
  const delivery = newDelivery({ event, watchlistId, runId, endpointId });
  await deliveries.requestDelivery(accountId, delivery, now);
  await bestEffort(() => queue.send([endpointTarget(accountId, endpointId)], 0), warn);
  return (await deliveries.get(accountId, delivery.id)) ?? delivery;
}

/**
 * Returns the endpoint of the request.
 * @throws 400 INVALID_PARAM for an unknown endpoint; 409 CONFLICT for a disabled endpoint
 */
async function requireReceiver(
  { accountId, endpointId }: { readonly accountId: string; readonly endpointId: string },
  endpoints: Pick<EndpointStore, "get">,
): Promise<WebhookEndpoint> {
  const endpoint = isId("webhookEndpoint", endpointId)
    ? await endpoints.get(accountId, endpointId)
    : null;
  if (endpoint === null) {
    throw unknownEndpointId(endpointId);
  }
  if (!endpoint.enabled) {
    throw endpointDisabled(endpointId);
  }
  return endpoint;
}
