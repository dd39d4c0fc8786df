import type { EventType, RunEventStream } from "../events/event.ts";
import { isSubscribed } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";

/** An endpoint that receives events of a run. */
export interface RunReceiver {
  readonly endpointId: string;
  /** Event types that the endpoint receives; null for all types. */
  readonly types: EventType[] | null;
}

/**
 * Returns the endpoints that receive the events of a run (specification, section "Events", rules 1
 * and 2).
 *
 * - If the run names an endpoint: only this endpoint, regardless of its `events` filter. The
 *   endpoint is returned even if it is disabled or deleted, so that the delivery log records the
 *   failure.
 * - Otherwise: all enabled endpoints that are subscribed to at least one of `types`.
 */
export async function runReceivers(
  { accountId, webhookEndpointId }: RunEventStream,
  types: readonly EventType[],
  endpoints: Pick<EndpointStore, "list">,
): Promise<readonly RunReceiver[]> {
  if (webhookEndpointId !== null) return [{ endpointId: webhookEndpointId, types: null }];
  const known = await endpoints.list(accountId);
  return known
    .filter((endpoint) => types.some((type) => isSubscribed(endpoint, type)))
    .map(({ id, events }) => ({ endpointId: id, types: events === null ? null : [...events] }));
}
