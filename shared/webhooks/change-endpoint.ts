import { invalidParam, unavailable } from "../base/errors.ts";
import type { Endpoint } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";
import { type EndpointRef, existingEndpoint } from "./existing.ts";

/** Somebody gets through at every try, so this is more calls at once than one endpoint sees. */
const triesMax = 30;

/** The refusal of a URL that another endpoint of the account has. */
export const urlTaken = (): Error =>
  invalidParam(
    "url",
    "A webhook endpoint of this account has this URL already. Use that one, or send another URL.",
  );

/**
 * Repeats an attempt to change an endpoint while it reports that another call was first.
 * @throws 503 UNAVAILABLE when another call is always first.
 */
export async function untilReplaced<T>(attempt: () => Promise<T | "again">): Promise<T> {
  for (let tries = 0; tries < triesMax; tries += 1) {
    const result = await attempt();
    if (result !== "again") return result;
  }
  throw unavailable();
}

/**
 * Changes an endpoint as it is at that moment: what others change at the same time stays. `change`
 * is asked again when somebody was first, and answers what it was given when there is nothing to do.
 * @throws 404 NOT_FOUND, 400 INVALID_PARAM for a URL that is taken, 503 UNAVAILABLE when somebody
 *   else is always first.
 */
export async function changeEndpoint(
  ref: EndpointRef,
  change: (before: Endpoint) => Promise<Endpoint>,
  endpoints: Pick<EndpointStore, "get" | "replace">,
): Promise<Endpoint> {
  return untilReplaced(async () => {
    const before = await existingEndpoint(ref, endpoints);
    const after = await change(before);
    if (after === before) return before;
    const { outcome } = await endpoints.replace(before, after);
    if (outcome === "url_taken") throw urlTaken();
    return outcome === "replaced" ? after : "again";
  });
}
