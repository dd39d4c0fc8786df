import type { Endpoint } from "../webhooks/endpoint.ts";
import type { Deletion, EndpointLookup } from "../webhooks/endpoint-store.ts";
import type { Watchlist } from "./watchlist.ts";

/** The webhook endpoint that a watchlist delivers to. */
export interface EndpointBinding {
  readonly endpointId: string;
  /** The endpoint's current URL; of a deleted endpoint the last one. */
  readonly url: string | null;
  readonly status: "ok" | "disabled" | "deleted";
}

type NamingList = Pick<Watchlist, "id" | "webhookEndpointId" | "webhookUrl">;

/**
 * The endpoints that watchlists of one account deliver to, by watchlist id; a watchlist that names
 * none is left out. A watchlist names its endpoint by id, so it follows a change of the endpoint's
 * URL. Once the endpoint is deleted, the watchlist is bound to its successor, if there is one: the
 * endpoint that was registered since with the deleted one's last URL, also after its URL is changed,
 * or that has this URL now (specification, section "Events", rules 1 and 2).
 *
 * Costs one query of the account's endpoints (10 at most), and one read of the deleted ones named.
 */
export async function endpointBindings(
  accountId: string,
  lists: readonly NamingList[],
  endpoints: Pick<EndpointLookup, "list" | "deletions">,
): Promise<ReadonlyMap<string, EndpointBinding>> {
  const naming = lists.flatMap(({ id, webhookEndpointId, webhookUrl }) =>
    webhookEndpointId === null ? [] : [{ id, endpointId: webhookEndpointId, url: webhookUrl }],
  );
  if (naming.length === 0) return new Map();
  const known = await endpoints.list(accountId);
  const isKnown = (id: string): boolean => known.some((endpoint) => endpoint.id === id);
  const deleted = new Set(naming.map(({ endpointId }) => endpointId).filter((id) => !isKnown(id)));
  const deletions = await endpoints.deletions(accountId, [...deleted]);
  return new Map(
    naming.map(({ id, endpointId, url: stored }) => {
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
  { registeredUrl, createdAt }: Endpoint,
): boolean =>
  deletion !== undefined && registeredUrl === deletion.url && createdAt >= deletion.deletedAt;

/** The endpoint that one watchlist delivers to; null when it names none. */
export async function endpointBinding(
  list: NamingList & Pick<Watchlist, "accountId">,
  endpoints: Pick<EndpointLookup, "list" | "deletions">,
): Promise<EndpointBinding | null> {
  const bindings = await endpointBindings(list.accountId, [list], endpoints);
  return bindings.get(list.id) ?? null;
}

/** The binding to an endpoint that exists. */
export const bindingTo = ({ id, url, enabled }: Endpoint): EndpointBinding => ({
  endpointId: id,
  url,
  status: enabled ? "ok" : "disabled",
});
