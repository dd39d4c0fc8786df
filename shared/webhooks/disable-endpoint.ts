import { untilReplaced } from "./change-endpoint.ts";
import { type Endpoint, changedAt, type DisabledReason } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";

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
 * @throws 503 UNAVAILABLE when other calls keep changing the endpoint first.
 */
export async function disableEndpoint(
  { endpoint, reason, failingSince, now }: Disabling,
  endpoints: Pick<EndpointStore, "get" | "replace">,
): Promise<void> {
  const { accountId, id, receivingSince } = endpoint;
  await untilReplaced(async () => {
    const before = await endpoints.get(accountId, id);
    const isSame = before?.enabled === true && before.receivingSince === receivingSince;
    if (before === null || !isSame) return undefined;
    const updatedAt = changedAt(before, now);
    const after: Endpoint = { ...before, enabled: false, disabledReason: reason, updatedAt };
    const { outcome } = await endpoints.replace(before, after, { failingSince });
    return outcome === "replaced" || outcome === "recovered" ? undefined : "again";
  });
}
