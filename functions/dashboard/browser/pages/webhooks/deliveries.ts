import type { List, WebhookDelivery } from "../../api/resources.ts";
import { useLivePages } from "../../api/use-live-pages.ts";
import type { Pages } from "../../api/use-pages.ts";

/** The filters of the delivery log. An empty string means no filter. */
export interface DeliveryFilters {
  readonly state: string;
  readonly eventType: string;
  readonly watchlistId: string;
}

/**
 * Returns the filters in the query of an address; an empty string for each absent filter. Filters
 * are part of the address so that users can share and reload a filtered log.
 */
export const deliveryFilters = (query: URLSearchParams): DeliveryFilters => ({
  state: query.get("state") ?? "",
  eventType: query.get("event_type") ?? "",
  watchlistId: query.get("watchlist_id") ?? "",
});

const pageSize = 50;

/**
 * Loads the delivery log and keeps it up to date.
 * @param endpointId the endpoint; undefined for all endpoints
 */
export function useDeliveries(
  { state, eventType, watchlistId }: DeliveryFilters,
  endpointId?: string,
): Pages<WebhookDelivery> {
  const path =
    endpointId === undefined ? "webhook_deliveries" : `webhook_endpoints/${endpointId}/deliveries`;
  return useLivePages(
    (api, cursor, signal) =>
      api.get<List<WebhookDelivery>>(path, {
        signal,
        query: {
          limit: pageSize,
          starting_after: cursor,
          state,
          event_type: eventType,
          watchlist_id: watchlistId,
        },
      }),
    [path, state, eventType, watchlistId],
    { pageSize, isPending: (delivery) => delivery.state === "pending" },
  );
}
