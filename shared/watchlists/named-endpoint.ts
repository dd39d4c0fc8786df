import { invalidParam } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import { formatValue } from "../base/shown-value.ts";
import { normalizeUrl } from "../outgoing/url.ts";
import type { WebhookEndpoint } from "../webhooks/endpoint.ts";
import type { EndpointLookup } from "../webhooks/endpoint-store.ts";
import { unknownEndpointId } from "../webhooks/existing.ts";
import { bindingTo, endpointBinding, type EndpointBinding } from "./endpoint-binding.ts";
import type { Watchlist } from "./watchlist.ts";

/** The webhook endpoint that a request names: by URL, by ID, or none (both null). */
export interface EndpointParams {
  readonly webhookUrl: string | null;
  readonly webhookEndpointId: string | null;
}

const isNamedTwice = ({ webhookUrl, webhookEndpointId }: EndpointParams): boolean =>
  webhookUrl !== null && webhookEndpointId !== null;

/**
 * Checks that a request sets at most one of `webhook_url` and `webhook_endpoint_id`, and that the
 * ID is well-formed. Does not check whether the endpoint exists.
 * @throws 400 if both parameters are set, or if the ID is malformed
 */
export function checkEndpointParams(params: EndpointParams): void {
  if (isNamedTwice(params)) {
    throw invalidParam("webhook_url", "Send 'webhook_url' or 'webhook_endpoint_id', not both.");
  }
  checkEndpointId(params);
}

/**
 * Checks the format of an endpoint ID; null is valid.
 * @throws 400 if the ID is malformed
 */
export function checkEndpointId({ webhookEndpointId }: EndpointParams): void {
  if (webhookEndpointId !== null && !isId("webhookEndpoint", webhookEndpointId)) {
    throw invalidParam(
      "webhook_endpoint_id",
      `'webhook_endpoint_id' must be the ID of a webhook endpoint, which begins with we_ (got ${formatValue(webhookEndpointId)}).`,
    );
  }
}

/**
 * Finds the webhook endpoint that a PATCH sets. Returns null if both parameters are null, which
 * removes the endpoint. If the request repeats the current URL of the watchlist, the current ID, or
 * both, returns the current endpoint, even if it is deleted.
 * @throws 400 for an unknown endpoint, or if both parameters are set and one differs from the
 * current value
 */
export async function findEndpointOfPatch(
  watchlist: Watchlist,
  params: EndpointParams,
  endpoints: EndpointLookup,
): Promise<EndpointBinding | null> {
  const { webhookUrl, webhookEndpointId } = params;
  if (webhookUrl === null && webhookEndpointId === null) return null;
  const shown = await endpointBinding(watchlist, endpoints);
  const isShown =
    (webhookUrl === null || normalizeUrl(webhookUrl) === shown?.url) &&
    (webhookEndpointId === null || webhookEndpointId === shown?.endpointId);
  if (shown !== null && isShown) return shown;
  if (isNamedTwice(params)) {
    throw invalidParam(
      "webhook_url",
      "The request has both 'webhook_url' and 'webhook_endpoint_id', and one of them differs from the current value. Send only one of them.",
    );
  }
  const foundEndpoint = await findNamedEndpoint(watchlist.accountId, params, endpoints);
  return foundEndpoint === null ? null : bindingTo(foundEndpoint);
}

/**
 * Finds the webhook endpoint that a request names. Returns null if both parameters are null.
 * @throws 400 for an unknown endpoint
 */
export async function findNamedEndpoint(
  accountId: string,
  { webhookUrl, webhookEndpointId }: EndpointParams,
  endpoints: EndpointLookup,
): Promise<WebhookEndpoint | null> {
  if (webhookUrl !== null) {
    const url = normalizeUrl(webhookUrl);
    const foundEndpoint = url === null ? null : await endpoints.findByUrl(accountId, url);
    if (foundEndpoint !== null) return foundEndpoint;
    throw invalidParam(
      "webhook_url",
      "No webhook endpoint of this account has the URL in 'webhook_url'. Create one with POST /v1/webhook_endpoints, then repeat the call.",
    );
  }
  if (webhookEndpointId === null) return null;
  const foundEndpoint = await endpoints.get(accountId, webhookEndpointId);
  if (foundEndpoint !== null) return foundEndpoint;
  throw unknownEndpointId(webhookEndpointId);
}
