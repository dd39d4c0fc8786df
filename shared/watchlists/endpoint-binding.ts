import type { WebhookEndpoint } from "../webhooks/endpoint.ts";
import type { Deletion, EndpointLookup } from "../webhooks/endpoint-store.ts";
import type { Watchlist } from "./watchlist.ts";

/** The webhook endpoint to which a watchlist delivers its events. */
export interface EndpointBinding {
  readonly endpointId: string;
  /** Current URL of the endpoint. For a deleted endpoint, its last URL; null if unknown. */
  readonly url: string | null;
  readonly status: "ok" | "disabled" | "deleted";
}

type BoundWatchlist = Pick<Watchlist, "id" | "webhookEndpointId" | "webhookUrl">;

/**
 * Finds the webhook endpoint of each of an account's watchlists. Returns the bindings by watchlist
 * ID. Leaves out watchlists without an endpoint. A watchlist refers to its endpoint by ID, so a
 * change of the endpoint's URL has no effect on the binding. If the endpoint was deleted, the first
 * of these replaces it (specification, section "Events", rules 1 and 2):
 * 1. an endpoint that was created after the deletion with the deleted endpoint's last URL, even if
 *    the URL of the new endpoint changed later;
 * 2. an endpoint that now has the deleted endpoint's last URL.
 * If there is neither, the binding has status `deleted`. Costs one query of the account's endpoints
 * (at most 10), and one read of the deletions if an endpoint was deleted.
 */
export async function endpointBindings(
  accountId: string,
  watchlists: readonly BoundWatchlist[],
  endpoints: Pick<EndpointLookup, "list" | "deletions">,
): Promise<ReadonlyMap<string, EndpointBinding>> {
  const bound = watchlists.flatMap(({ id, webhookEndpointId, webhookUrl }) =>
    webhookEndpointId === null ? [] : [{ id, endpointId: webhookEndpointId, url: webhookUrl }],
  );
  if (bound.length === 0) return new Map();
  const known = await endpoints.list(accountId);
  const isKnown = (id: string): boolean => known.some((endpoint) => endpoint.id === id);
  const deleted = new Set(bound.map(({ endpointId }) => endpointId).filter((id) => !isKnown(id)));
  const deletions = await endpoints.deletions(accountId, [...deleted]);
  return new Map(
    bound.map(({ id, endpointId, url: stored }) => {
      const deletion = deletions.get(endpointId);
      const url = deletion?.url ?? stored;
      const endpoint =
        known.find((one) => one.id === endpointId) ??
        known.find((one) => isRegisteredAfter(deletion, one)) ??
        known.find((one) => one.url === url);
      return [
        id,
        endpoint === undefined ? { endpointId, url, status: "deleted" } : bindingTo(endpoint),
      ];
    }),
  );
}

const isRegisteredAfter = (
  deletion: Deletion | undefined,
  { registeredUrl, createdAt }: WebhookEndpoint,
): boolean =>
  deletion !== undefined && registeredUrl === deletion.url && createdAt >= deletion.deletedAt;

/**
 * Finds the webhook endpoint of one watchlist, by the rules of `endpointBindings`. Returns null if
 * the watchlist has no endpoint. Costs at most two reads.
 */
export async function endpointBinding(
  watchlist: BoundWatchlist & Pick<Watchlist, "accountId">,
  endpoints: Pick<EndpointLookup, "list" | "deletions">,
): Promise<EndpointBinding | null> {
  const bindings = await endpointBindings(watchlist.accountId, [watchlist], endpoints);
  return bindings.get(watchlist.id) ?? null;
}

/** Returns the binding to an endpoint that exists: its status is `ok` or `disabled`. */
export const bindingTo = ({ id, url, enabled }: WebhookEndpoint): EndpointBinding => ({
  endpointId: id,
  url,
  status: enabled ? "ok" : "disabled",
});
