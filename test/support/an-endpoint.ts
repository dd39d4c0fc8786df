import type { WebhookEndpoint } from "../../shared/webhooks/endpoint.ts";

/**
 * Builds an enabled webhook endpoint of `acct_1` for all event types, which has not changed since
 * `createdAt`.
 */
export function anEndpoint({
  createdAt = "2026-03-01T00:00:00.000Z",
  ...overrides
}: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  return {
    id: "we_0123456789abcdefghjkmnpq",
    accountId: "acct_1",
    url: "https://hooks.shop-example.com/",
    registeredUrl: null,
    description: null,
    events: null,
    enabled: true,
    disabledReason: null,
    secret: "sealed",
    secretHint: "last",
    previousSecret: null,
    requestsAtOnce: null,
    receivingSince: createdAt,
    createdAt,
    updatedAt: createdAt,
    ...overrides,
  };
}
