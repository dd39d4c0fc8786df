import type { WebhookEndpoint } from "../webhooks/endpoint.ts";
import type { Deletion, EndpointLookup } from "../webhooks/endpoint-store.ts";
import type { Watchlist } from "./watchlist.ts";

/** The webhook endpoint that a watchlist delivers to. */
export interface EndpointBinding {
  readonly endpointId: string;
  /** The endpoint's current URL; the last one if it is deleted. */
  readonly url: string | null;
  readonly status: "ok" | "disabled" | "deleted";
}

type BoundWatchlist = Pick<Watchlist, "id" | "webhookEndpointId" | "webhookUrl">;

/**
 * The webhook endpoints of an account's watchlists, by watchlist ID, without watchlists that have
 * none. A watchlist refers to its endpoint by ID, so a change of the endpoint's URL does not matter.
 * After the endpoint is deleted, the watchlist is bound to its successor, if there is one: the
 * endpoint that was created later with the deleted one's last URL, even if its URL changed since, or
 * the endpoint that has this URL now (specification, section "Events", rules 1 and 2).
 *
 * Costs one query of the account's endpoints (at most 10), and one read of the deleted ones.
 */
export async function endpointBindings(
  accountId: string,
  lists: readonly BoundWatchlist[],
  endpoints: Pick<EndpointLookup, "list" | "deletions">,
): Promise<ReadonlyMap<string, EndpointBinding>> {
  const bound = lists.flatMap(({ id, webhookEndpointId, webhookUrl }) =>
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

/** The webhook endpoint of one watchlist; null if it has none. */
export async function endpointBinding(
  list: BoundWatchlist & Pick<Watchlist, "accountId">,
  endpoints: Pick<EndpointLookup, "list" | "deletions">,
): Promise<EndpointBinding | null> {
  const bindings = await endpointBindings(list.accountId, [list], endpoints);
  return bindings.get(list.id) ?? null;
}

/** The binding to an existing endpoint. */
export const bindingTo = ({ id, url, enabled }: WebhookEndpoint): EndpointBinding => ({
  endpointId: id,
  url,
  status: enabled ? "ok" : "disabled",
});
