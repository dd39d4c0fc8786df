import { notFound } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import type { Delivery } from "./delivery.ts";
import type { DeliveryStore } from "./delivery-store.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";

/** An endpoint as a call names it: nothing is known of the id yet. */
export interface EndpointRef {
  readonly accountId: string;
  readonly endpointId: string;
}

/**
 * The account's endpoint of that id.
 * @throws 404 NOT_FOUND, the same for a missing one and for one of another account.
 */
export async function existingEndpoint(
  { accountId, endpointId }: EndpointRef,
  endpoints: Pick<EndpointStore, "get">,
): Promise<Endpoint> {
  const found = isId("webhookEndpoint", endpointId)
    ? await endpoints.get(accountId, endpointId)
    : null;
  if (found === null) throw endpointNotFound();
  return found;
}

export const endpointNotFound = (): Error => notFound("This webhook endpoint");

/**
 * The account's delivery of that id.
 * @throws 404 NOT_FOUND, the same for a missing one and for one of another account.
 */
export async function existingDelivery(
  accountId: string,
  deliveryId: string,
  deliveries: Pick<DeliveryStore, "get">,
): Promise<Delivery> {
  const found = isId("delivery", deliveryId) ? await deliveries.get(accountId, deliveryId) : null;
  if (found === null) throw notFound("This webhook delivery");
  return found;
}
