import { isId } from "../base/ids.ts";
import { endPending, type EndPendingDependencies } from "../outbox/end-pending.ts";
import { endpointTarget } from "../outbox/outbox.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { endpointNotFound, type EndpointRef } from "./existing.ts";

export interface DeleteEndpointDependencies extends EndPendingDependencies {
  readonly endpoints: Pick<EndpointStore, "delete">;
}

/**
 * Deletes a webhook endpoint. Also makes its pending deliveries end with the error
 * `endpoint_deleted`.
 * @throws 404 NOT_FOUND if the endpoint does not exist
 */
export async function deleteEndpoint(
  ref: EndpointRef,
  now: Date,
  dependencies: DeleteEndpointDependencies,
): Promise<void> {
  const { accountId, endpointId } = ref;
  const deleted =
    isId("webhookEndpoint", endpointId) &&
    (await dependencies.endpoints.delete(accountId, endpointId, now));
  if (!deleted) throw endpointNotFound(endpointId);
  await endPending(endpointTarget(accountId, endpointId), now, dependencies);
}
