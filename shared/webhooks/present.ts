import type { InferOutput } from "valibot";
import type { Delivery } from "./delivery.ts";
import { type Endpoint, previousSecretAt } from "./endpoint.ts";
import type { webhookTestResponse } from "./endpoint-schema.ts";

/** A webhook endpoint as answers show it (specification, section "Webhook endpoint"). */
export function presentEndpoint(endpoint: Endpoint, now: Date): Record<string, unknown> {
  return {
    id: endpoint.id,
    object: "webhook_endpoint",
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.events,
    enabled: endpoint.enabled,
    secret_hint: endpoint.secretHint,
    previous_secret_expires_at: previousSecretAt(endpoint, now)?.expiresAt ?? null,
    created_at: endpoint.createdAt,
    updated_at: endpoint.updatedAt,
  };
}

/** What came of a test delivery, which has had one attempt. */
export function presentTest(delivery: Delivery): InferOutput<typeof webhookTestResponse> {
  const attempt = delivery.attempts.at(-1);
  return {
    object: "webhook_test",
    endpoint_id: delivery.endpointId,
    delivered: delivery.state === "delivered",
    status_code: attempt?.status ?? null,
    duration_ms: attempt?.durationMs ?? 0,
    error: attempt?.error ?? null,
  };
}
