import { type Endpoint, changedAt, type DisabledReason } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";

/** Another process changes the endpoint at the same time; more than one endpoint sees at once. */
const triesMax = 30;

export interface Disabling {
  /** The endpoint as the failed attempt found it. */
  readonly endpoint: Endpoint;
  readonly reason: Exclude<DisabledReason, "user">;
  /** Since when its outbox has stored failures only; null: that does not matter. */
  readonly failingSince: string | null;
  readonly now: Date;
}

/**
 * Disables an endpoint for what its receiver did. Does nothing when the endpoint was deleted,
 * disabled, enabled again or given another URL after the attempt began, or, with `failingSince`,
 * when something was delivered since.
 */
export async function disableEndpoint(
  { endpoint, reason, failingSince, now }: Disabling,
  endpoints: Pick<EndpointStore, "get" | "replace">,
): Promise<void> {
  const { accountId, id, receivingSince } = endpoint;
  for (let tries = 0; tries < triesMax; tries += 1) {
    const before = await endpoints.get(accountId, id);
    const isSame = before?.enabled === true && before.receivingSince === receivingSince;
    if (before === null || !isSame) return;
    const updatedAt = changedAt(before, now);
    const after: Endpoint = { ...before, enabled: false, disabledReason: reason, updatedAt };
    const { outcome } = await endpoints.replace(before, after, { failingSince });
    if (outcome === "replaced" || outcome === "recovered") return;
  }
}
