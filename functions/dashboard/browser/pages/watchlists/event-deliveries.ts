import type { ApiClient } from "../../api/client.ts";
import type { List, WebhookDelivery } from "../../api/resources.ts";
import { type Query, useQuery } from "../../api/use-query.ts";
import type { ItemEvent } from "./item-events.ts";

/** The largest number of deliveries in a page of the API. */
const pageSize = 100;
/**
 * Maximum number of pages that one search reads. Without a maximum, the search would take long,
 * because a run of a large watchlist has many deliveries.
 */
const pagesMax = 5;
/**
 * The search begins this many milliseconds before the oldest event, so that it misses no delivery.
 */
const marginMs = 60_000;

/** The webhook deliveries of some events. */
export interface EventDeliveries {
  readonly ofEvent: ReadonlyMap<string, readonly WebhookDelivery[]>;
  /** True if the search read all deliveries since the oldest of the events. */
  readonly isComplete: boolean;
}

/**
 * Loads the webhook deliveries of a watchlist since the oldest of the given events, at most the
 * newest 500, and groups them by event.
 * @param events newest first
 */
export function useEventDeliveries(
  listId: string,
  events: readonly ItemEvent[],
): Query<EventDeliveries> {
  const oldest = events.at(-1)?.at;
  return useQuery(
    (api, signal) => deliveriesSince(api, { listId, oldest }, signal),
    [listId, oldest, events.length],
  );
}

async function deliveriesSince(
  api: ApiClient,
  { listId, oldest }: { readonly listId: string; readonly oldest: string | undefined },
  signal: AbortSignal,
): Promise<EventDeliveries> {
  const deliveries: WebhookDelivery[] = [];
  let cursor: string | null | undefined = oldest === undefined ? null : undefined;
  for (let page = 0; page < pagesMax && cursor !== null; page += 1) {
    const read: List<WebhookDelivery> = await api.get("webhook_deliveries", {
      signal,
      query: {
        watchlist_id: listId,
        since: new Date(Date.parse(oldest ?? "") - marginMs).toISOString(),
        limit: pageSize,
        starting_after: cursor,
      },
    });
    deliveries.push(...read.data);
    cursor = read.next_starting_after ?? null;
  }
  return {
    ofEvent: Map.groupBy(deliveries, ({ event_id: id }) => id),
    isComplete: cursor === null,
  };
}

/**
 * Returns what happened to an event without a known webhook delivery, as a sentence. Returns "…"
 * while the deliveries are loading.
 * @param found undefined while the deliveries are loading
 */
export function undeliveredWords(found: Pick<EventDeliveries, "isComplete"> | undefined): string {
  if (found === undefined) return "…";
  return found.isComplete
    ? "No webhook delivery: when the event was created, no enabled endpoint subscribed to its type. The event is in the event feed, and in the S3 export if there is one."
    : "Not among the newest 500 deliveries of the watchlist.";
}
