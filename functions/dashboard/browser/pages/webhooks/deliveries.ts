import type { List, WebhookDelivery } from "../../api/resources.ts";
import { useLivePages } from "../../api/use-live-pages.ts";
import type { Pages } from "../../api/use-pages.ts";
import { type IgnoredPart, readQuery } from "../../shell/page-query.ts";
import { runEventTypes, testType } from "./event-types.ts";

/** The filters of the delivery log. An empty string means no filter. */
export interface DeliveryFilters {
  readonly state: string;
  readonly eventType: string;
  readonly watchlistId: string;
}

/** What the address of a page with a delivery log contains. */
interface DeliveryQuery {
  readonly filters: DeliveryFilters;
  /** The parameters of the filters, without those that the page ignores. */
  readonly values: Readonly<Record<string, string>>;
  /** The ID of the delivery that is open; undefined if none is. */
  readonly opened: string | undefined;
  readonly ignored: readonly IgnoredPart[];
}

/** The states of deliveries by which the log can be filtered. */
export const deliveryStates = ["pending", "delivered", "failed"] as const;

const form = {
  state: deliveryStates,
  event_type: [...runEventTypes.map(([type]) => type), testType],
  watchlist_id: undefined,
  delivery: undefined,
};
const listIdForm = /^wl_\w+$/;

/**
 * Parses the address of a page with a delivery log: the filters and the ID of the open delivery.
 * The address contains both, so that users can share and reload the page.
 */
export function readDeliveryQuery(query: URLSearchParams): DeliveryQuery {
  const { values, ignored } = readQuery(query, form);
  const { delivery: opened, watchlist_id: listId = "", ...others } = values;
  const isListId = listId === "" || listIdForm.test(listId);
  const { state = "", event_type: eventType = "" } = others;
  return {
    filters: { state, eventType, watchlistId: isListId ? listId : "" },
    values: { ...others, ...(isListId && listId !== "" && { watchlist_id: listId }) },
    opened,
    ignored: isListId
      ? ignored
      : [
          ...ignored,
          { name: "watchlist_id", value: listId, reason: "the ID of a watchlist begins with wl_" },
        ],
  };
}

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
