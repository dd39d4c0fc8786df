import { expect, it } from "vitest";
import { disableEndpoint } from "../../../shared/webhooks/disable-endpoint.ts";
import { anEndpoint } from "../../support/an-endpoint.ts";

const endpoint = anEndpoint();

it("disabling an endpoint fails with 503 if concurrent calls always change it first", async () => {
  const now = new Date("2026-03-02T00:00:00Z");
  const disabled = disableEndpoint(
    { endpoint, reason: "gone", failingSince: null, now },
    { get: async () => endpoint, replace: async () => ({ outcome: "changed" }) },
  );
  await expect(disabled).rejects.toMatchObject({ code: "UNAVAILABLE" });
});
