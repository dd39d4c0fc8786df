import { expect, it } from "vitest";
import { disableEndpoint } from "../../../shared/webhooks/disable-endpoint.ts";
import type { WebhookEndpoint } from "../../../shared/webhooks/endpoint.ts";

const endpoint: WebhookEndpoint = {
  id: "we_1",
  accountId: "acct_1",
  url: "https://hooks.shop-example.com/",
  registeredUrl: null,
  description: null,
  events: null,
  enabled: true,
  disabledReason: null,
  secret: "sealed",
  secretHint: "abcd",
  previousSecret: null,
  requestsAtOnce: null,
  receivingSince: "2026-03-01T00:00:00.000Z",
  createdAt: "2026-03-01T00:00:00.000Z",
  updatedAt: "2026-03-01T00:00:00.000Z",
};

it("disabling an endpoint fails with 503 if concurrent calls always change it first", async () => {
  const now = new Date("2026-03-02T00:00:00Z");
  const disabled = disableEndpoint(
    { endpoint, reason: "gone", failingSince: null, now },
    { get: async () => endpoint, replace: async () => ({ outcome: "changed" }) },
  );
  await expect(disabled).rejects.toMatchObject({ code: "UNAVAILABLE" });
});
