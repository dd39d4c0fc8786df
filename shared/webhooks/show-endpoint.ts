import type { InferOutput } from "valibot";
import { endpointTarget, type TargetStates } from "../outbox/outbox.ts";
import type { WebhookEndpoint } from "./endpoint.ts";
import { healthOf } from "./endpoint-health.ts";
import type { webhookEndpointSchema } from "./endpoint-schema.ts";
import { presentEndpoint } from "./present.ts";

/**
 * Reads the health of a webhook endpoint, and returns the endpoint in its form in API responses.
 */
export async function showEndpoint(
  endpoint: WebhookEndpoint,
  now: Date,
  states: Pick<TargetStates, "get">,
): Promise<InferOutput<typeof webhookEndpointSchema>> {
  const state = await states.get(endpointTarget(endpoint.accountId, endpoint.id));
  return presentEndpoint(endpoint, healthOf(state), now);
}
