import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { dynamoEndpointStore } from "../../../../shared/aws/deliveries/endpoint-store.ts";
import { deliveryKeys } from "../../../../shared/aws/table/table.ts";
import { newId } from "../../../../shared/base/ids.ts";
import { systemClock } from "../../../../shared/base/system.ts";
import { endpointTarget } from "../../../../shared/outbox/outbox.ts";
import type { WebhookEndpoint } from "../../../../shared/webhooks/endpoint.ts";
import type { EndpointStore } from "../../../../shared/webhooks/endpoint-store.ts";
import { anEndpoint } from "../../../support/an-endpoint.ts";
import { countingRandom } from "../../../support/clock.ts";
import { openTables } from "../../../support/tables.ts";

const random = countingRandom();
const account = "acct_1";

const tables = openTables();
let tableName: string;
let store: EndpointStore;
beforeEach(async () => {
  tableName = await tables.create();
  store = dynamoEndpointStore(tables.client, { tableName, clock: systemClock, random });
});

function numberedEndpoint(number: number, wanted: Partial<WebhookEndpoint> = {}): WebhookEndpoint {
  const createdAt = new Date(Date.UTC(2026, 10, 20, 10, 0, number));
  return anEndpoint({
    id: newId("webhookEndpoint", createdAt, random),
    accountId: account,
    url: `https://hooks.shop-example.com/${number}`,
    createdAt: createdAt.toISOString(),
    ...wanted,
  });
}

describe("the store of webhook endpoints in DynamoDB", () => {
  it("returns stored endpoints by ID and by URL, but only to their account", async () => {
    const endpoint = numberedEndpoint(1, {
      events: ["watchlist.run.completed"],
      previousSecret: { sealed: "old", expiresAt: "2026-11-21T10:00:00.000Z" },
    });
    await store.create(account, endpoint);

    expect(await store.get(account, endpoint.id)).toEqual(endpoint);
    expect(await store.findByUrl(account, endpoint.url)).toEqual(endpoint);
    expect(await store.get("acct_2", endpoint.id)).toBeNull();
    expect(await store.findByUrl("acct_2", endpoint.url)).toBeNull();
    expect(await store.list("acct_2")).toEqual([]);
    expect(await store.countEndpoints("acct_2")).toBe(0);
  });

  it("lists the endpoints of an account oldest first", async () => {
    const endpoints = [1, 2, 3].map((number) => numberedEndpoint(number));
    for (const number of [2, 0, 1])
      await store.create(account, endpoints[number] ?? numberedEndpoint(9));

    expect(await store.list(account)).toEqual(endpoints);
  });

  it("refuses a URL that another endpoint of the account has", async () => {
    const { url } = numberedEndpoint(1);
    await store.create(account, numberedEndpoint(1));

    expect(await store.create(account, numberedEndpoint(2, { url }))).toEqual({
      outcome: "url_taken",
    });
    expect(await store.create("acct_2", numberedEndpoint(3, { url }))).toEqual({
      outcome: "created",
    });
    expect(await store.countEndpoints(account)).toBe(1);
  });

  it("creates at most ten endpoints of an account, even in parallel calls", async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 14 }, (_, number) => store.create(account, numberedEndpoint(number))),
    );

    const created = outcomes.filter(({ outcome }) => outcome === "created");
    expect(created).toHaveLength(10);
    expect(outcomes.filter(({ outcome }) => outcome === "limit_reached")).toHaveLength(4);
    expect(await store.countEndpoints(account)).toBe(10);
    expect(await store.list(account)).toHaveLength(10);
  });

  it("replaces a failing endpoint only if no delivery has succeeded since the given time", async () => {
    const before = numberedEndpoint(1);
    await store.create(account, before);
    const after = { ...before, enabled: false, updatedAt: "2026-11-29T10:00:00.000Z" };
    const failingSince = "2026-11-20T10:00:00.000Z";
    const replace = () => store.replace(before, after, { failingSince });
    const keep = (state: unknown) =>
      tables.client.send(
        new PutCommand({
          TableName: tableName,
          Item: { ...deliveryKeys.outbox(endpointTarget(account, before.id)), target_state: state },
        }),
      );

    expect(await replace()).toEqual({ outcome: "recovered" });
    await keep({ failingSince: "2026-11-28T10:00:00.000Z" });
    expect(await replace()).toEqual({ outcome: "recovered" });
    expect(await store.get(account, before.id)).toEqual(before);
    await keep({ failingSince });
    expect(await replace()).toEqual({ outcome: "replaced" });
    expect(await replace()).toEqual({ outcome: "changed" });
  });

  it("accepts a URL that is longer than DynamoDB's maximum key length", async () => {
    const url = `https://hooks.shop-example.com/${"x".repeat(2_000)}`;
    await store.create(account, numberedEndpoint(1, { url }));

    expect(await store.findByUrl(account, url)).toMatchObject({ url });
  });
});
