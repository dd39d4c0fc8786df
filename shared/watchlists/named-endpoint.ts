import { invalidParam } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import { normaliseUrl } from "../outgoing/url.ts";
import type { Endpoint } from "../webhooks/endpoint.ts";
import type { EndpointLookup } from "../webhooks/endpoint-store.ts";
import { bindingTo, endpointBinding, type EndpointBinding } from "./endpoint-binding.ts";
import type { Watchlist } from "./watchlist.ts";

/** The endpoint that a request names for a list's events: by URL, by id, or none. */
export interface EndpointParams {
  readonly webhookUrl: string | null;
  readonly webhookEndpointId: string | null;
}

const isNamedTwice = ({ webhookUrl, webhookEndpointId }: EndpointParams): boolean =>
  webhookUrl !== null && webhookEndpointId !== null;

/** @throws 400 for an endpoint that is named twice, and for what can be no id of one. */
export function checkEndpointParams(params: EndpointParams): void {
  if (isNamedTwice(params)) {
    throw invalidParam("webhook_url", "Send 'webhook_url' or 'webhook_endpoint_id', not both.");
  }
  checkEndpointId(params);
}

/** @throws 400 for what can be no id of an endpoint. */
export function checkEndpointId({ webhookEndpointId }: EndpointParams): void {
  if (webhookEndpointId !== null && !isId("webhookEndpoint", webhookEndpointId)) {
    throw invalidParam("webhook_endpoint_id", "This is no id of a webhook endpoint (we_...).");
  }
}

/**
 * The endpoint that a change of a list names; null for none. The URL and the id that the list shows
 * are accepted, one or both, also when that endpoint is deleted: then the list stays as it is.
 * @throws 400 for an endpoint that is not registered, and for one that is named twice.
 */
export async function changedEndpoint(
  list: Watchlist,
  params: EndpointParams,
  endpoints: EndpointLookup,
): Promise<EndpointBinding | null> {
  const { webhookUrl, webhookEndpointId } = params;
  if (webhookUrl === null && webhookEndpointId === null) return null;
  const shown = await endpointBinding(list, endpoints);
  const isShown =
    (webhookUrl === null || normaliseUrl(webhookUrl) === shown?.url) &&
    (webhookEndpointId === null || webhookEndpointId === shown?.endpointId);
  if (shown !== null && isShown) return shown;
  if (isNamedTwice(params)) {
    throw invalidParam(
      "webhook_url",
      "Send 'webhook_url' or 'webhook_endpoint_id', not both, unless both are as the watchlist shows them.",
    );
  }
  const found = await namedEndpoint(list.accountId, params, endpoints);
  return found === null ? null : bindingTo(found);
}

/**
 * The registered endpoint that the request names; null for none.
 * @throws 400 for one that is not registered.
 */
export async function namedEndpoint(
  accountId: string,
  { webhookUrl, webhookEndpointId }: EndpointParams,
  endpoints: EndpointLookup,
): Promise<Endpoint | null> {
  if (webhookUrl !== null) {
    const url = normaliseUrl(webhookUrl);
    const found = url === null ? null : await endpoints.findByUrl(accountId, url);
    if (found !== null) return found;
    throw invalidParam(
      "webhook_url",
      "No webhook endpoint with this URL. Register it with POST /v1/webhook_endpoints first.",
    );
  }
  if (webhookEndpointId === null) return null;
  const found = await endpoints.get(accountId, webhookEndpointId);
  if (found !== null) return found;
  throw invalidParam("webhook_endpoint_id", "There is no webhook endpoint with this id.");
}
