import { endAttempt, lost, repeatChange } from "../base/repeat-change.ts";
import { endpointRepeats } from "./change-endpoint.ts";
import { type WebhookEndpoint, nextUpdatedAt, type DisabledReason } from "./endpoint.ts";
import type { EndpointStore } from "./endpoint-store.ts";

/** A request of the delivery worker to disable an endpoint. */
export interface DisableRequest {
  /** The endpoint as it was at the start of the failed attempt. */
  readonly endpoint: WebhookEndpoint;
  readonly reason: Exclude<DisabledReason, "user">;
  /**
   * If set, the endpoint is disabled only if all attempts since this time (ISO 8601) failed. If
   * null, it is disabled in any case.
   */
  readonly failingSince: string | null;
  readonly now: Date;
}

/**
 * Disables an endpoint whose receiver returned 410 or keeps failing. Does nothing if the endpoint
 * was deleted, disabled, enabled again or given another URL after the attempt started.
 * @param failingSince start of the failures, ISO 8601; unless it is null, also does nothing if an
 * attempt has succeeded since then
 * @throws 503 UNAVAILABLE after too many conflicts with concurrent changes
 */
export async function disableEndpoint(
  { endpoint, reason, failingSince, now }: DisableRequest,
  endpoints: Pick<EndpointStore, "get" | "replace">,
): Promise<void> {
  const { accountId, id, receivingSince } = endpoint;
  await repeatChange(async () => {
    const before = await endpoints.get(accountId, id);
    const isSame = before?.enabled === true && before.receivingSince === receivingSince;
    if (before === null || !isSame) return endAttempt(undefined);
    const updatedAt = nextUpdatedAt(before, now);
    const after: WebhookEndpoint = { ...before, enabled: false, disabledReason: reason, updatedAt };
    const { outcome } = await endpoints.replace(before, after, { failingSince });
    return outcome === "replaced" || outcome === "recovered" ? endAttempt(undefined) : lost;
  }, endpointRepeats);
}
