import { invalidParam, unavailable } from "../base/errors.ts";
import type { WebhookEndpoint } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { type EndpointRef, existingEndpoint } from "./existing.ts";

/**
 * Maximum number of tries. A try fails only because another call changed the endpoint, so 30
 * exceeds any real contention.
 */
const triesMax = 30;

/** Error 400 INVALID_PARAM: another endpoint of the account has this URL. */
export const urlTaken = (): Error =>
  invalidParam(
    "url",
    "Another webhook endpoint of this account has this URL. Use that endpoint, or send another URL.",
  );

/**
 * Repeats a conditional change of an endpoint until `attempt` returns a result. `attempt` returns
 * `again` if a concurrent call changed the endpoint first.
 * @throws 503 UNAVAILABLE after `triesMax` tries
 */
export async function retryReplace<T>(attempt: () => Promise<T | "again">): Promise<T> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const result = await attempt();
    if (result !== "again") return result;
  }
  throw unavailable();
}

/**
 * Reads an endpoint, passes it to `change` and stores the result; writes nothing if `change`
 * returns the same object. Starts again if a concurrent call changed the endpoint first. Returns
 * the endpoint after the change.
 * @throws 404 NOT_FOUND if the endpoint does not exist; 400 INVALID_PARAM if another endpoint has
 * the URL; 503 UNAVAILABLE after too many conflicts
 */
export async function changeEndpoint(
  ref: EndpointRef,
  change: (before: WebhookEndpoint) => Promise<WebhookEndpoint>,
  endpoints: Pick<EndpointStore, "get" | "replace">,
): Promise<WebhookEndpoint> {
  return retryReplace(async () => {
    const before = await existingEndpoint(ref, endpoints);
    const after = await change(before);
    if (after === before) return before;
    const { outcome } = await endpoints.replace(before, after);
    if (outcome === "url_taken") throw urlTaken();
    return outcome === "replaced" ? after : "again";
  });
}
