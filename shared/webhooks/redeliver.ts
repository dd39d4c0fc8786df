import { conflict } from "../base/errors.ts";
import { hint, type Warn } from "../base/hint.ts";
import { endpointTarget, type OutboxQueue } from "../outbox/outbox.ts";
import type { Delivery } from "./delivery.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { existingDelivery } from "./existing.ts";
import type { PendingSources } from "./pending-deliveries.ts";

export interface RedeliverDependencies extends PendingSources {
  readonly deliveries: PendingSources["deliveries"] & Pick<DeliveryStore, "requestRedelivery">;
  readonly endpoints: Pick<EndpointStore, "get">;
  readonly queue: OutboxQueue;
  readonly warn: Warn;
}

/**
 * Owes a delivery to its endpoint once more, whatever became of it; asking again before it was sent
 * changes nothing. Answers it as it is then.
 * @throws 404 NOT_FOUND for an unknown delivery, 409 CONFLICT for one that would not be sent.
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
      "This was a test delivery. Make another with POST /v1/webhook_endpoints/{id}/test.",
    );
  }
  await requireReceiver(accountId, delivery.endpointId, endpoints);
  const asked = await deliveries.requestRedelivery(accountId, delivery, now);
  const target = endpointTarget(accountId, delivery.endpointId);
  await hint(() => queue.send([target], 0), warn);
  return asked
    ? { ...delivery, requestedAt: now.toISOString() }
    : existingDelivery(accountId, deliveryId, dependencies);
}

async function requireReceiver(
  accountId: string,
  endpointId: string,
  endpoints: Pick<EndpointStore, "get">,
): Promise<void> {
  const endpoint = await endpoints.get(accountId, endpointId);
  if (endpoint === null) {
    throw conflict("The webhook endpoint of this delivery is deleted: nothing would be sent.");
  }
  if (!endpoint.enabled) {
    throw conflict(
      "The webhook endpoint of this delivery is disabled: nothing would be sent. Enable it first.",
    );
  }
}
