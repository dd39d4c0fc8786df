import type { List, WebhookDelivery } from "../../api/resources.ts";
import { usePagePolling } from "../../api/use-page-polling.ts";
import { type Pages, usePages } from "../../api/use-pages.ts";

/** By what the log is narrowed; empty: by nothing. */
export interface DeliveryFilters {
  readonly state: string;
  readonly eventType: string;
  readonly watchlistId: string;
}

/** They stand in the address, so that a view can be shared and reloaded. */
export const deliveryFilters = (query: URLSearchParams): DeliveryFilters => ({
  state: query.get("state") ?? "",
  eventType: query.get("event_type") ?? "",
  watchlistId: query.get("watchlist_id") ?? "",
});

const pageSize = 50;
const pendingSeconds = 4;
const quietSeconds = 30;

/** The delivery log, kept up to date. @param endpointId undefined: of all endpoints */
export function useDeliveries(
  { state, eventType, watchlistId }: DeliveryFilters,
  endpointId?: string,
): Pages<WebhookDelivery> {
  const path =
    endpointId === undefined ? "webhook_deliveries" : `webhook_endpoints/${endpointId}/deliveries`;
  const pages = usePages(
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
  );
  const isPending = pages.entries?.some((delivery) => delivery.state === "pending") === true;
  usePagePolling(pages, pageSize, isPending ? pendingSeconds : quietSeconds);
  return pages;
}
