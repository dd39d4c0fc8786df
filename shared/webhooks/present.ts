import { type Endpoint, previousSecretAt } from "./endpoint.ts";

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
