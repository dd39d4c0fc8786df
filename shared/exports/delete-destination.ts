import { endPending, type EndPendingDependencies } from "../outbox/end-pending.ts";
import { destinationTarget } from "../outbox/outbox.ts";
import { noDestination } from "./destination.ts";
import type { DestinationStore } from "./destination-store.ts";

export interface DeleteDestinationDependencies extends EndPendingDependencies {
  readonly destinations: Pick<DestinationStore, "delete">;
}

/**
 * Deletes the account's S3 destination and ends its pending exports. Objects in the bucket are not
 * deleted.
 * @throws 404 NOT_FOUND if the account has no destination
 */
export async function deleteDestination(
  accountId: string,
  now: Date,
  dependencies: DeleteDestinationDependencies,
): Promise<void> {
  const deleted = await dependencies.destinations.delete(accountId);
  if (!deleted) throw noDestination();
  await endPending(destinationTarget(accountId), now, dependencies);
}
