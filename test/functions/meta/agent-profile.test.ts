import { beforeAll, describe, expect, it } from "vitest";
import { createHandler } from "../../../functions/meta/handler.ts";
import { protocolVersions } from "../../../shared/sources/storefront/agent-profile.ts";
import { violationsOf } from "../../../tools/sources/storefront/official-schemas.ts";
import { fixedClock } from "../../support/clock.ts";
import { gatewayContext, gatewayEvent } from "../../support/gateway-event.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
let table: string;
beforeAll(async () => {
  table = await tables.create();
});

const get = (path: string) => {
  const clock = fixedClock("2026-11-20T10:00:00.000Z");
  const environment = { STAGE: "test", ACCOUNTS_TABLE: table };
  const handler = createHandler(environment, { clock, clients: { dynamo: tables.client } });
  return handler(gatewayEvent({ path, calledPath: path }), gatewayContext);
};

describe("GET /v1/agent_profiles/{version}", () => {
  it.each(protocolVersions)(
    "returns a valid, cacheable profile of protocol version %s to a call without an API key",
    async (version) => {
      const { statusCode, headers, body } = await get(`/v1/agent_profiles/${version}`);

      expect(statusCode).toBe(200);
      expect(violationsOf("agentProfile", JSON.parse(body))).toEqual([]);
      expect(headers?.["Content-Type"]).toBe("application/json");
      const [, seconds] = /^public, max-age=(\d+)$/.exec(String(headers?.["Cache-Control"])) ?? [];
      expect(Number(seconds)).toBeGreaterThanOrEqual(60);
      expect(headers).toHaveProperty("ETag");
    },
  );

  it("returns 404 for a protocol version that the service does not support", async () => {
    expect((await get("/v1/agent_profiles/2026-01-11")).statusCode).toBe(404);
  });
});
