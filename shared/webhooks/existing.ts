import { notFound } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import type { Delivery } from "./delivery.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { pendingDelivery, type PendingSources } from "./pending-deliveries.ts";

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
 * The account's delivery of that ID, also one that is pending before its first attempt.
 * @throws 404 NOT_FOUND, the same for a missing one and for one of another account.
 */
export async function existingDelivery(
  accountId: string,
  id: string,
  sources: PendingSources,
): Promise<Delivery> {
  if (!isId("delivery", id)) throw notFound("This webhook delivery");
  const logged = (): Promise<Delivery | null> => sources.deliveries.get(accountId, id);
  // Looked up again at last: its first attempt may have been made in between.
  const found =
    (await logged()) ?? (await pendingDelivery(accountId, id, sources)) ?? (await logged());
  if (found === null) throw notFound("This webhook delivery");
  return found;
}
