import type { List, WebhookDelivery } from "../../api/resources.ts";
import { useLivePages } from "../../api/use-live-pages.ts";
import type { Pages } from "../../api/use-pages.ts";

/** By what the log is narrowed; empty: by nothing. */
export interface DeliveryFilters {
  readonly state: string;
  readonly eventType: string;
  readonly watchlistId: string;
}

/** Filters are part of the address, so that a view can be shared and reloaded. */
export const deliveryFilters = (query: URLSearchParams): DeliveryFilters => ({
  state: query.get("state") ?? "",
  eventType: query.get("event_type") ?? "",
  watchlistId: query.get("watchlist_id") ?? "",
});

const pageSize = 50;

/** The delivery log, kept up to date. @param endpointId undefined: of all endpoints */
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
