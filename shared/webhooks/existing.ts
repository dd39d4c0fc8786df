import { notFound } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import type { Delivery } from "./delivery.ts";
import type { WebhookEndpoint } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { pendingDelivery, type PendingSources } from "./pending-deliveries.ts";

/** An account and an unchecked endpoint ID from a request. */
export interface EndpointRef {
  readonly accountId: string;
  readonly endpointId: string;
}

/**
 * Returns the account's endpoint with this ID.
 * @throws 404 NOT_FOUND, also for an endpoint of another account.
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

export const endpointNotFound = (): Error => notFound("This webhook endpoint");

/**
 * Returns the account's delivery with this ID, also before its first attempt.
 * @throws 404 NOT_FOUND, also for a delivery of another account.
 */
export async function existingDelivery(
  accountId: string,
  id: string,
  sources: PendingSources,
): Promise<Delivery> {
  if (!isId("delivery", id)) throw notFound("This webhook delivery");
  const logged = (): Promise<Delivery | null> => sources.deliveries.get(accountId, id);
  // Reads the log again, because the first attempt may have been logged in between.
  const found =
    (await logged()) ?? (await pendingDelivery(accountId, id, sources)) ?? (await logged());
  if (found === null) throw notFound("This webhook delivery");
  return found;
}
