import { conflict } from "../base/errors.ts";
import { bestEffort, type Warn } from "../base/best-effort.ts";
import { endpointTarget, type OutboxQueue } from "../outbox/outbox.ts";
import type { Delivery } from "./delivery.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { endpointDisabled, existingDelivery } from "./existing.ts";
import type { PendingSources } from "./pending-deliveries.ts";

export interface RedeliverDependencies extends PendingSources {
  readonly deliveries: PendingSources["deliveries"] & Pick<DeliveryStore, "requestRedelivery">;
  readonly endpoints: Pick<EndpointStore, "get">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

/**
 * Requests another attempt of a delivery, whatever the state of the delivery, and returns the
 * delivery. A repeated call has no effect while the redelivery is pending.
 * @throws 404 NOT_FOUND for an unknown delivery; 409 CONFLICT for a test delivery, or if the
 * endpoint is disabled or deleted
 */
export async function redeliver(
  request: { readonly accountId: string; readonly deliveryId: string; readonly now: Date },
  dependencies: RedeliverDependencies,
): Promise<Delivery> {
  const { deliveries, endpoints, queue, warn } = dependencies;
  const { accountId, deliveryId, now } = request;
  const delivery = await existingDelivery(accountId, deliveryId, dependencies);
  if (delivery.runId === null) {
    throw conflict(
      `A test delivery cannot be redelivered. Send a new one with POST /v1/webhook_endpoints/${delivery.endpointId}/test.`,
    );
  }
  await requireReceiver(accountId, delivery.endpointId, endpoints);
  const isRequested = await deliveries.requestRedelivery(accountId, delivery, now);
  const target = endpointTarget(accountId, delivery.endpointId);
  await bestEffort(() => queue.send([target], 0), warn);
  return isRequested
    ? { ...delivery, requestedAt: now.toISOString() }
    : existingDelivery(accountId, deliveryId, dependencies);
}

/** Throws 409 CONFLICT if the endpoint of a delivery is deleted or disabled. */
async function requireReceiver(
  accountId: string,
  endpointId: string,
  endpoints: Pick<EndpointStore, "get">,
): Promise<void> {
  const endpoint = await endpoints.get(accountId, endpointId);
  if (endpoint === null) {
    throw conflict(
      `The webhook endpoint ${endpointId} of this delivery is deleted, so nothing would be sent. To send the event ` +
        "to another endpoint, use POST /v1/events/{id}/send.",
    );
  }
  if (!endpoint.enabled) {
    throw endpointDisabled(endpointId);
  }
}
