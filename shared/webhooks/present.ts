import type { InferOutput } from "valibot";
import type { Delivery } from "./delivery.ts";
import { type WebhookEndpoint, previousSecretAt } from "./endpoint.ts";
import { type EndpointHealth, healthFor, isEndpointFailing } from "./endpoint-health.ts";
import type {
  EndpointStatus,
  webhookEndpointSchema,
  webhookTestResponse,
} from "./endpoint-schema.ts";

/**
 * Converts a webhook endpoint to its form in API responses (specification, section "Webhook
 * endpoint").
 * @param stored the stored health of the endpoint
 * @param now time that decides whether requests are still signed with the previous secret
 */
export function presentEndpoint(
  endpoint: WebhookEndpoint,
  stored: EndpointHealth,
  now: Date,
): InferOutput<typeof webhookEndpointSchema> {
  const health = healthFor(endpoint, stored);
  return {
    id: endpoint.id,
    object: "webhook_endpoint",
    url: endpoint.url,
    description: endpoint.description,
    events: endpoint.events === null ? null : [...endpoint.events],
    enabled: endpoint.enabled,
    status: statusOf(endpoint, health),
    disabled_reason: endpoint.disabledReason,
    failing_since: isEndpointFailing(health) ? health.failingSince : null,
    last_error: health.lastError,
    last_success_at: health.lastSuccessAt,
    secret_hint: endpoint.secretHint,
    previous_secret_expires_at: previousSecretAt(endpoint, now)?.expiresAt ?? null,
    created_at: endpoint.createdAt,
    updated_at: endpoint.updatedAt,
  };
}

/** Returns the status of an endpoint in API responses. */
function statusOf({ enabled }: WebhookEndpoint, health: EndpointHealth): EndpointStatus {
  if (!enabled) return "disabled";
  return isEndpointFailing(health) ? "failing" : "ok";
}

/** Converts a test delivery to the response of the API call that requested the test. */
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
