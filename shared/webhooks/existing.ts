import { conflict, invalidParam, unknownId } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import { shorten } from "../base/shown-value.ts";
import type { Delivery } from "./delivery.ts";
import type { WebhookEndpoint } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { pendingDelivery, type PendingSources } from "./pending-deliveries.ts";

/** An account and an endpoint ID as sent in a request. The ID may be malformed or unknown. */
export interface EndpointRef {
  readonly accountId: string;
  readonly endpointId: string;
}

/**
 * Reads a webhook endpoint of an account.
 * @throws 404 NOT_FOUND for a malformed or unknown ID, or an endpoint of another account
 */
export async function existingEndpoint(
  { accountId, endpointId }: EndpointRef,
  endpoints: Pick<EndpointStore, "get">,
): Promise<WebhookEndpoint> {
  const foundEndpoint = isId("webhookEndpoint", endpointId)
    ? await endpoints.get(accountId, endpointId)
    : null;
  if (foundEndpoint === null) throw endpointNotFound(endpointId);
  return foundEndpoint;
}

/** Returns the error 404: the account has no such webhook endpoint. */
export const endpointNotFound = (endpointId: string): Error =>
  unknownId("Webhook endpoint", endpointId, "List the endpoints with GET /v1/webhook_endpoints.");

/** Returns the error 409: the webhook endpoint is disabled, so it gets no events. */
export const endpointDisabled = (endpointId: string): Error =>
  conflict(
    `Webhook endpoint ${endpointId} is disabled, so nothing would be sent. Enable it first with ` +
      "PATCH /v1/webhook_endpoints/{id}.",
  );

/** Returns the error 400: the body names a webhook endpoint that the account does not have. */
export const unknownEndpointId = (endpointId: string): Error =>
  invalidParam(
    "webhook_endpoint_id",
    `Webhook endpoint ${shorten(endpointId)} does not exist. List the endpoints with GET /v1/webhook_endpoints.`,
  );

/**
 * Reads a delivery of an account. Also finds a delivery that has had no attempt yet.
 * @throws 404 NOT_FOUND for a malformed or unknown ID, or a delivery of another account
 */
export async function existingDelivery(
  accountId: string,
  id: string,
  sources: PendingSources,
): Promise<Delivery> {
  if (!isId("delivery", id)) throw deliveryNotFound(id);
  const logged = (): Promise<Delivery | null> => sources.deliveries.get(accountId, id);
  // The first attempt may be logged after the first read of the log and before the read of the
  // outbox. The delivery is then in neither, so the log is read a second time.
  const foundDelivery =
    (await logged()) ?? (await pendingDelivery(accountId, id, sources)) ?? (await logged());
  if (foundDelivery === null) throw deliveryNotFound(id);
  return foundDelivery;
}

const deliveryNotFound = (id: string): Error =>
  unknownId("Webhook delivery", id, "List the deliveries with GET /v1/webhook_deliveries.");
