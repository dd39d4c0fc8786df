import type { InferOutput } from "valibot";
import { mergePage } from "../outbox/merged-page.ts";
import type { deliveriesQuery, webhookDeliveriesResponse } from "./delivery-schema.ts";
import type { DeliveryFilter, DeliveryStore } from "./delivery-store.ts";
import { pendingDeliveries, type PendingSources } from "./pending-deliveries.ts";
import { presentDelivery } from "./present-delivery.ts";

type Query = InferOutput<typeof deliveriesQuery>;

export interface ListDeliveriesDependencies extends PendingSources {
  readonly deliveries: PendingSources["deliveries"] & Pick<DeliveryStore, "list">;
}

/**
 * Lists deliveries of an account, newest first. Includes deliveries that have had no attempt yet,
 * which are not in the delivery log.
 */
export async function listDeliveries(
  accountId: string,
  query: Query,
  dependencies: ListDeliveriesDependencies,
): Promise<InferOutput<typeof webhookDeliveriesResponse>> {
  const { limit, starting_after: before = null } = query;
  const wanted = { limit, before, filter: filterOf(query) };
  // Reads the pending deliveries first. A delivery that is logged between the two reads is then in
  // both results. If the log were read first, the delivery would be in neither result.
  const pending = await pendingDeliveries(accountId, wanted, dependencies);
  const logged = await dependencies.deliveries.list(accountId, wanted);
  const page = mergePage({ ...logged, entries: logged.deliveries }, pending, limit);
  return {
    object: "list",
    data: page.entries.map(presentDelivery),
    has_more: page.lastId !== null,
    next_starting_after: page.lastId,
  };
}

const filterOf = (query: Query): DeliveryFilter => ({
  ...(query.endpoint_id === undefined ? {} : { endpointId: query.endpoint_id }),
  ...(query.state === undefined ? {} : { state: query.state }),
  ...(query.event_type === undefined ? {} : { eventType: query.event_type }),
  ...(query.watchlist_id === undefined ? {} : { watchlistId: query.watchlist_id }),
  ...(query.since === undefined ? {} : { since: new Date(query.since).toISOString() }),
});
