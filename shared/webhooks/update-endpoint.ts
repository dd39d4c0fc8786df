import type { Changed } from "../base/after-change.ts";
import { endPending, type EndPendingDependencies } from "../outbox/end-pending.ts";
import { endpointTarget } from "../outbox/outbox.ts";
import type { AddressPolicy } from "../outgoing/address-policy.ts";
import { requirePublicUrl } from "../outgoing/public-url.ts";
import type { Resolver } from "../outgoing/resolver.ts";
import { normalizeUrl, type OwnAddresses } from "../outgoing/url.ts";
import { changeEndpoint } from "./change-endpoint.ts";
import { nextUpdatedAt, type WebhookEndpoint, type EndpointPatch } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import type { EndpointRef } from "./existing.ts";

export interface UpdateEndpointDependencies extends EndPendingDependencies {
  readonly endpoints: Pick<EndpointStore, "get" | "replace">;
  readonly resolver: Resolver;
  readonly policy: AddressPolicy;
}

export interface EndpointPatchRequest extends EndpointRef {
  readonly wanted: EndpointPatch;
  readonly now: Date;
  /** The addresses of this service. No endpoint may have one of them as its URL. */
  readonly own: OwnAddresses;
}

/**
 * Changes fields of an endpoint. If the request sets `enabled` to false, also makes the endpoint's
 * pending deliveries end. Returns the endpoint after the change.
 * @throws 400 if the URL is refused or another endpoint has it; 404 for an unknown endpoint; 503
 * after too many conflicts
 */
export async function updateEndpoint(
  request: EndpointPatchRequest,
  dependencies: UpdateEndpointDependencies,
): Promise<WebhookEndpoint> {
  const { wanted, now } = request;
  const change = async (before: WebhookEndpoint): Promise<Changed<WebhookEndpoint>> => {
    const after = { ...before, ...(await changes(request, before, dependencies)) };
    return isSame(before, after) ? "unchanged" : markChange(before, after, now);
  };
  const updated = await changeEndpoint(request, change, dependencies.endpoints);
  // Ends the deliveries even if the endpoint was already disabled, because an earlier call may have
  // failed after its write.
  if (wanted.enabled === false)
    await endPending(endpointTarget(request.accountId, request.endpointId), now, dependencies);
  return updated;
}

/**
 * Returns the requested values of the fields. Fields that the request omits keep their values.
 * @throws 400 INVALID_PARAM if a new URL is refused
 */
async function changes(
  { wanted, own }: EndpointPatchRequest,
  before: WebhookEndpoint,
  { policy, resolver }: UpdateEndpointDependencies,
): Promise<Pick<WebhookEndpoint, "url" | "description" | "events" | "enabled">> {
  const { url = before.url, description, events, enabled = before.enabled } = wanted;
  const isNewUrl = normalizeUrl(url) !== before.url;
  return {
    url: isNewUrl
      ? await requirePublicUrl({ param: "url", value: url }, { policy, own }, resolver)
      : before.url,
    description: description === undefined ? before.description : description,
    events: events === undefined ? before.events : events,
    enabled,
  };
}

/**
 * Updates the fields that depend on a change: the reason why an endpoint is disabled, and its
 * times.
 */
function markChange(before: WebhookEndpoint, after: WebhookEndpoint, now: Date): WebhookEndpoint {
  const updatedAt = nextUpdatedAt(before, now);
  const isAnotherReceiver = after.url !== before.url || (after.enabled && !before.enabled);
  return {
    ...after,
    disabledReason: after.enabled ? null : (before.disabledReason ?? "user"),
    receivingSince: isAnotherReceiver ? updatedAt : before.receivingSince,
    updatedAt,
  };
}

const isSame = (before: WebhookEndpoint, after: WebhookEndpoint): boolean =>
  before.url === after.url &&
  before.description === after.description &&
  before.enabled === after.enabled &&
  JSON.stringify(before.events) === JSON.stringify(after.events);
