import type { InferOutput } from "valibot";
import type { deliveriesQuery, webhookDeliveriesResponse } from "./delivery-schema.ts";
import type { DeliveryFilter, DeliveryStore } from "./delivery-store.ts";
import { presentDelivery } from "./present-delivery.ts";

type Query = InferOutput<typeof deliveriesQuery>;

/** A page of the account's delivery log, newest first. */
export async function listDeliveries(
  accountId: string,
  query: Query,
  deliveries: Pick<DeliveryStore, "list">,
): Promise<InferOutput<typeof webhookDeliveriesResponse>> {
  const page = await deliveries.list(accountId, {
    limit: query.limit,
    before: query.starting_after ?? null,
    filter: filterOf(query),
  });
  return {
    object: "list",
    data: page.deliveries.map(presentDelivery),
    has_more: page.lastId !== null,
    next_starting_after: page.lastId,
  };
}

const filterOf = (query: Query): DeliveryFilter => ({
  ...(query.endpoint_id === undefined ? {} : { endpointId: query.endpoint_id }),
  ...(query.state === undefined ? {} : { state: query.state }),
  ...(query.event_type === undefined ? {} : { eventType: query.event_type }),
  ...(query.watchlist_id === undefined ? {} : { watchlistId: query.watchlist_id }),
});
