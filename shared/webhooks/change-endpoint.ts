import type { Changed } from "../base/after-change.ts";
import { invalidParam, unavailable } from "../base/errors.ts";
import { type ChangeRepeats, endAttempt, lost, repeatChange } from "../base/repeat-change.ts";
import type { WebhookEndpoint } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { type EndpointRef, existingEndpoint } from "./existing.ts";

/**
 * Limit for the attempts of a conditional change of an endpoint. An attempt fails only if another
 * call changed the endpoint, which never happens 30 times in a row.
 */
export const endpointRepeats: ChangeRepeats = { triesMax: 30, exhausted: () => unavailable() };

/** Returns the error 400 INVALID_PARAM: another endpoint of the account has this URL. */
export const urlTaken = (): Error =>
  invalidParam(
    "url",
    "Another webhook endpoint of this account has this URL. Use that endpoint, or send another URL.",
  );

/**
 * Reads an endpoint, passes it to `change`, and stores the endpoint that `change` returns. Writes
 * nothing if `change` returns `unchanged`. If a concurrent call changed the endpoint first, reads
 * the endpoint and calls `change` again. Returns the endpoint after the change.
 * @throws 404 NOT_FOUND if the endpoint does not exist; 400 INVALID_PARAM if another endpoint has
 * the URL; 503 UNAVAILABLE after too many conflicts
 */
export async function changeEndpoint(
  ref: EndpointRef,
  change: (before: WebhookEndpoint) => Promise<Changed<WebhookEndpoint>>,
  endpoints: Pick<EndpointStore, "get" | "replace">,
): Promise<WebhookEndpoint> {
  return repeatChange(async () => {
    const before = await existingEndpoint(ref, endpoints);
    const after = await change(before);
    if (after === "unchanged") return endAttempt(before);
    const { outcome } = await endpoints.replace(before, after);
    if (outcome === "url_taken") throw urlTaken();
    return outcome === "replaced" ? endAttempt(after) : lost;
  }, endpointRepeats);
}
