import { Logger } from "@aws-lambda-powertools/logger";
import { Ajv2020 } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { describe, expect, it } from "vitest";
import { groupHandler } from "../../../functions/http/group-handler.ts";
import { metaRoutes } from "../../../functions/meta/handler.ts";
import { schemaNames } from "../../../functions/meta/published.ts";
import { routes } from "../../../functions/routes.ts";
import type { AccountStore } from "../../../shared/accounts/account-store.ts";
import { systemRandom } from "../../../shared/base/system.ts";
import { eventTypes } from "../../../shared/events/event.ts";
import { sampleData } from "../../../shared/webhooks/sample-events.ts";
import {
  eventChanged,
  eventDelisted,
  eventMatched,
  runCompletedEvent,
  webhookTestEvent,
} from "../../../tools/documents/examples/events.ts";
import { fixedClock } from "../../support/clock.ts";
import { gatewayContext, gatewayEvent } from "../../support/gateway-event.ts";

const at = "2026-03-01T00:00:00.000Z";
const handler = groupHandler({
  group: "meta",
  routes: metaRoutes,
  dependencies: {
    // Calls of this group read no account.
    accounts: {} as AccountStore,
    database: async () => ({ outcome: "ok" as const }),
    clock: fixedClock(at),
    random: systemRandom,
    logger: new Logger({ logLevel: "SILENT" }),
  },
});

async function get(path: string) {
  const { statusCode, headers, body } = await handler(
    gatewayEvent({ path, calledPath: path }),
    gatewayContext,
  );
  return { statusCode, type: headers?.["Content-Type"], body };
}

async function validatorOf(name: string) {
  const { body } = await get(`/v1/schemas/${name}`);
  const ajv = new Ajv2020({ strict: false });
  addFormats.default(ajv);
  return ajv.compile(JSON.parse(body) as object);
}

describe("GET /v1/schemas/{name}", () => {
  it.each([eventChanged, eventMatched, eventDelisted, runCompletedEvent, webhookTestEvent])(
    "needs no API key, and returns a schema that accepts the documented event $type",
    async (event) => {
      const { statusCode, type } = await get(`/v1/schemas/${event.type}`);
      expect([statusCode, type]).toEqual([200, "application/schema+json"]);
      const isValid = await validatorOf(event.type);
      isValid(JSON.parse(JSON.stringify(event)));
      expect(isValid.errors).toBeNull();
    },
  );

  it.each(eventTypes)(
    "returns a schema that accepts the test event of type %s that the service sends",
    async (type) => {
      const isValid = await validatorOf(type);
      const data = sampleData({ type, at, endpointId: "whe_1" });
      isValid(JSON.parse(JSON.stringify({ id: "evt_1", type, created_at: at, data })));
      expect(isValid.errors).toBeNull();
    },
  );

  it("returns a schema that refuses an event without 'data'", async () => {
    const isValid = await validatorOf("watchlist.product.changed");
    const event = { id: "evt_1", type: "watchlist.product.changed", created_at: at };
    expect(isValid(event)).toBe(false);
  });

  it("returns 404 with the names of all schemas for an unknown name", async () => {
    const { statusCode, body } = await get("/v1/schemas/offers");
    expect(statusCode).toBe(404);
    for (const name of schemaNames) expect(body).toContain(name);
  });
});

it("GET /v1/changelog returns the releases, newest first, without an API key", async () => {
  const { statusCode, body } = await get("/v1/changelog");
  const { data } = JSON.parse(body) as { data: { version: string | null; date: string | null }[] };
  expect(statusCode).toBe(200);
  const dates = data.map(({ date }) => date ?? "9999-12-31");
  expect(dates).toEqual(dates.toSorted().toReversed());
  expect(data.map(({ version }) => version)).toContain("0.1.0");
});

it("GET /v1/postman.json returns a Postman collection 2.1 without an API key", async () => {
  const { statusCode, body } = await get("/v1/postman.json");
  expect(statusCode).toBe(200);
  expect(JSON.parse(body)).toMatchObject({ info: { schema: expect.stringContaining("v2.1.0") } });
});

it("GET /llms.txt needs no API key, and returns a text whose links are paths of the service", async () => {
  const { statusCode, type, body } = await get("/llms.txt");
  expect([statusCode, type]).toEqual([200, "text/plain; charset=utf-8"]);
  const links = [...body.matchAll(/\]\((\/[^)]+)\)/g)].map(([, link = ""]) => link);
  expect(links.length).toBeGreaterThan(10);
  for (const link of links) {
    const isPage = /^\/docs\/[\w-]+$/.test(link);
    const isRoute = `GET ${link}` in routes || link.startsWith("/v1/schemas/");
    expect(isPage || isRoute, link).toBe(true);
    expect((await get(link)).statusCode, link).toBe(200);
  }
});
