import { expect, it } from "vitest";
import { disableEndpoint } from "../../../shared/webhooks/disable-endpoint.ts";
import { anEndpoint } from "../../support/an-endpoint.ts";

const endpoint = anEndpoint();

it("the disabling of a webhook endpoint fails with 503 if concurrent calls change the endpoint before every attempt", async () => {
  const now = new Date("2026-03-02T00:00:00Z");
  const disabled = disableEndpoint(
    { endpoint, reason: "gone", failingSince: null, now },
    { get: async () => endpoint, replace: async () => ({ outcome: "changed" }) },
  );
  await expect(disabled).rejects.toMatchObject({ code: "UNAVAILABLE" });
});
