import { notFound } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
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
 * Returns an endpoint of the account.
 * @throws 404 NOT_FOUND for a malformed or unknown ID, or an endpoint of another account
 */
export async function existingEndpoint(
  { accountId, endpointId }: EndpointRef,
  endpoints: Pick<EndpointStore, "get">,
): Promise<WebhookEndpoint> {
  const found = isId("webhookEndpoint", endpointId)
    ? await endpoints.get(accountId, endpointId)
    : null;
  if (found === null) throw endpointNotFound();
  return found;
}

/** Error 404: the account has no such webhook endpoint. */
export const endpointNotFound = (): Error =>
  notFound("This webhook endpoint", "List the endpoints with GET /v1/webhook_endpoints.");

/**
 * Returns a delivery of the account, even before its first attempt.
 * @throws 404 NOT_FOUND for a malformed or unknown ID, or a delivery of another account
 */
export async function existingDelivery(
  accountId: string,
  id: string,
  sources: PendingSources,
): Promise<Delivery> {
  if (!isId("delivery", id)) throw deliveryNotFound();
  const logged = (): Promise<Delivery | null> => sources.deliveries.get(accountId, id);
  // Reads the log a second time, because the first attempt may have been logged between the reads.
  const found =
    (await logged()) ?? (await pendingDelivery(accountId, id, sources)) ?? (await logged());
  if (found === null) throw deliveryNotFound();
  return found;
}

const deliveryNotFound = (): Error =>
  notFound("This webhook delivery", "List the deliveries with GET /v1/webhook_deliveries.");
