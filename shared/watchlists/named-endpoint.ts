import { invalidParam } from "../base/errors.ts";
import { isId } from "../base/ids.ts";
import type { Endpoint } from "../webhooks/endpoint.ts";
import type { EndpointLookup } from "../webhooks/endpoint-store.ts";
import { normaliseUrl } from "../outgoing/url.ts";

/** The endpoint that a request names for a list's events: by URL, by id, or none. */
export interface EndpointParams {
  readonly webhookUrl: string | null;
  readonly webhookEndpointId: string | null;
}

/** @throws 400 for an endpoint that is named twice, and for what can be no id of one. */
export function checkEndpointParams({ webhookUrl, webhookEndpointId }: EndpointParams): void {
  if (webhookUrl !== null && webhookEndpointId !== null) {
    throw invalidParam("webhook_url", "Send 'webhook_url' or 'webhook_endpoint_id', not both.");
  }
  if (webhookEndpointId !== null && !isId("webhookEndpoint", webhookEndpointId)) {
    throw invalidParam("webhook_endpoint_id", "This is no id of a webhook endpoint (we_...).");
  }
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
