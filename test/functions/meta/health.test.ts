import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { beforeAll, describe, expect, it } from "vitest";
import { createHandler } from "../../../functions/meta/handler.ts";
import { version } from "../../../shared/base/version.ts";
import { fixedClock } from "../../support/clock.ts";
import { openTables } from "../../support/tables.ts";
import { watchedClient } from "../../support/watched-client.ts";
import { gatewayContext, gatewayEvent } from "../../support/gateway-event.ts";

const tables = openTables();
let table: string;
beforeAll(async () => {
  table = await tables.create();
});

function service(dynamo: DynamoDBDocumentClient = tables.client) {
  const clock = fixedClock("2026-11-20T10:00:00.000Z");
  const environment = { STAGE: "test", ACCOUNTS_TABLE: table };
  const handler = createHandler(environment, { clock, clients: { dynamo } });
  const get = async (path: string, calledPath = path) => {
    // An IP address may make 50 calls a second, so calls are made 100 ms apart.
    clock.advance(100);
    const headers = { Host: "api.example.com" };
    return handler(gatewayEvent({ path, calledPath, headers }), gatewayContext);
  };
  return { clock, get };
}

describe("GET /v1/health", () => {
  it("returns 200 with the version to a call without an API key, and forbids caching", async () => {
    const { statusCode, headers, body } = await service().get("/v1/health");

    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toEqual({ object: "health", status: "ok", version });
    expect(headers).toMatchObject({ "Cache-Control": "no-store" });
    expect(headers).not.toHaveProperty("ETag");
  });

  it("reads the database at most once in five seconds, regardless of the number of calls", async () => {
    let reads = 0;
    const { clock, get } = service(
      watchedClient(tables.client, async (_command, send) => {
        reads += 1;
        return send();
      }),
    );
    for (let n = 0; n < 40; n += 1) await get("/v1/health");
    expect(reads).toBe(1);
    clock.advance(5_000);
    await get("/v1/health");
    expect(reads).toBe(2);
  });

  it("returns 503 without the cause of the failure while the database does not respond", async () => {
    let isDown = true;
    const { clock, get } = service(
      watchedClient(tables.client, async (_command, send) => {
        if (isDown) throw Object.assign(new Error("secret-host refused"), { code: "ECONNREFUSED" });
        return send();
      }),
    );

    const down = await get("/v1/health");
    expect(down.statusCode).toBe(503);
    expect(JSON.parse(down.body)).toMatchObject({ error: { code: "UNAVAILABLE" } });
    expect(down.body).not.toContain("secret-host");
    expect(down.headers).toMatchObject({ "Cache-Control": "no-store", "Retry-After": "1" });

    isDown = false;
    clock.advance(5_000);
    expect((await get("/v1/health")).statusCode).toBe(200);
  });
});

describe("GET /", () => {
  it.each([
    ["/", "/docs"],
    ["/prod/", "/prod/docs"],
    ["/prod", "/prod/docs"],
  ])(
    "at the path %s redirects to the documentation at the path %s",
    async (addressedPath, location) => {
      const { statusCode, headers } = await service().get("/", addressedPath);

      expect(statusCode).toBe(302);
      expect(headers).toMatchObject({ Location: location, "Cache-Control": "no-store" });
    },
  );
});
