import { beforeEach, describe, expect, it, vi } from "vitest";
import { systemRandom } from "../../../shared/base/system.ts";
import { newId } from "../../../shared/base/ids.ts";
import type { WebhookEndpoint } from "../../../shared/webhooks/endpoint.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import { anEndpoint } from "../../support/an-endpoint.ts";
import {
  type Answered,
  type WatchlistWorld,
  openWatchlistWorld,
} from "../../support/watchlist-world.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { openTables } from "../../support/tables.ts";

const urlA = "https://a.shop.example.org/hook";
const urlB = "https://b.shop.example.org/hook";
const idOf = (n: number): string => `wl_${String(n).padStart(24, "0")}`;
const listId = idOf(1);

const tables = openTables();
let world: WatchlistWorld;
beforeEach(async () => {
  world = await openWatchlistWorld(tables);
});

async function register(url: string): Promise<WebhookEndpoint> {
  world.clock.advance(1_000);
  const at = world.clock.now();
  const endpoint = anEndpoint({
    id: newId("webhookEndpoint", at, systemRandom),
    url,
    registeredUrl: url,
    createdAt: at.toISOString(),
  });
  expect(await world.endpoints.create("acct_1", endpoint)).toEqual({ outcome: "created" });
  return endpoint;
}

async function change(
  endpoint: WebhookEndpoint,
  set: Partial<WebhookEndpoint>,
): Promise<WebhookEndpoint> {
  world.clock.advance(1_000);
  const after = { ...endpoint, ...set, updatedAt: world.clock.now().toISOString() };
  expect(await world.endpoints.replace(endpoint, after)).toEqual({ outcome: "replaced" });
  return after;
}

const remove = ({ id }: WebhookEndpoint): Promise<boolean> =>
  world.endpoints.delete("acct_1", id, world.clock.now());

const putBound = (endpoint: WebhookEndpoint | null, n = 1): Promise<void> =>
  putWatchlist(
    { client: world.client, ...world.options },
    aWatchlist({
      id: idOf(n),
      webhookEndpointId: endpoint?.id ?? null,
      webhookUrl: endpoint?.url ?? null,
    }),
    [],
  );

const patch = (body: object): Promise<Answered> => world.ask(`PATCH /${listId}`, { body });
const shown = ({ json }: Answered): readonly unknown[] => [
  json["webhook_url"],
  json["webhook_endpoint_id"],
  json["webhook_endpoint_status"],
];
const look = async (): Promise<readonly unknown[]> => shown(await world.ask(`GET /${listId}`));
const stored = () => world.watchlists.get("acct_1", listId);

describe("the webhook endpoint of a watchlist", () => {
  it("is returned with null as its URL, ID and status when the watchlist names no endpoint", async () => {
    await putBound(null);

    expect(await look()).toEqual([null, null, null]);
  });

  it("is returned with its current URL after its URL was changed", async () => {
    const endpoint = await register(urlA);
    await putBound(endpoint);

    await change(endpoint, { url: urlB });

    expect(await look()).toEqual([urlB, endpoint.id, "ok"]);
    const listed = (await world.ask("GET ")).json["data"] as Record<string, unknown>[];
    expect(listed[0]).toMatchObject({ webhook_url: urlB, webhook_endpoint_id: endpoint.id });
  });

  it("is returned as 'disabled' after it is disabled, and as 'deleted' with its last URL after its deletion", async () => {
    const endpoint = await register(urlA);
    await putBound(endpoint);

    const disabled = await change(endpoint, { enabled: false });
    expect(await look()).toEqual([urlA, endpoint.id, "disabled"]);
    await change(disabled, { url: urlB });
    await remove(endpoint);

    expect(await look()).toEqual([urlB, endpoint.id, "deleted"]);
  });

  it("is replaced, after its deletion, by an endpoint that is registered with its last URL", async () => {
    const endpoint = await register(urlA);
    await putBound(endpoint);
    await change(endpoint, { url: urlB });
    await remove(endpoint);

    const other = await register(urlA);
    expect(await look()).toEqual([urlB, endpoint.id, "deleted"]);
    await remove(other);
    const successor = await register(urlB);

    expect(await look()).toEqual([urlB, successor.id, "ok"]);
  });

  it("stays the endpoint that replaced a deleted one, even if this endpoint gets another URL", async () => {
    const endpoint = await register(urlA);
    await putBound(endpoint);
    await remove(endpoint);
    const successor = await register(urlA);

    await change(successor, { url: urlB });

    expect(await look()).toEqual([urlB, successor.id, "ok"]);
    const another = await register(urlA);
    expect(await look()).toEqual([urlB, successor.id, "ok"]);
    await remove(successor);
    expect(await look()).toEqual([urlA, another.id, "ok"]);
  });

  it("is not replaced by an endpoint that had the deleted endpoint's URL only before the deletion", async () => {
    const earlier = await register(urlA);
    const moved = await change(earlier, { url: urlB });
    const endpoint = await register(urlA);
    await putBound(endpoint);

    await remove(endpoint);

    expect(await look()).toEqual([urlA, endpoint.id, "deleted"]);
    expect(moved.registeredUrl).toBe(urlA);
  });

  it("is replaced by an endpoint with the watchlist's stored URL if an earlier release deleted the endpoint", async () => {
    const gone = { ...(await register(urlA)), id: "we_0123456789abcdefghjkmnpq" };
    await putBound({ ...gone, url: urlB });

    expect(await look()).toEqual([urlB, gone.id, "deleted"]);
    const successor = await register(urlB);

    expect(await look()).toEqual([urlB, successor.id, "ok"]);
  });

  it("is never replaced by an endpoint of another account", async () => {
    const endpoint = await register(urlA);
    await putBound(endpoint);
    await remove(endpoint);

    await world.endpoints.create("acct_2", { ...endpoint, accountId: "acct_2" });

    expect(await look()).toEqual([urlA, endpoint.id, "deleted"]);
  });
});

describe("PATCH /v1/watchlists/{id} with the webhook endpoint that GET returned", () => {
  it.each([
    ["the URL", ([url]: readonly unknown[]) => ({ webhook_url: url })],
    ["the ID", ([, id]: readonly unknown[]) => ({ webhook_endpoint_id: id })],
    [
      "the URL and the ID",
      ([url, id]: readonly unknown[]) => ({ webhook_url: url, webhook_endpoint_id: id }),
    ],
  ])(
    "accepts %s of the endpoint in the body and keeps the endpoint, even if it was disabled or deleted",
    async (_what, bodyOf) => {
      const endpoint = await register(urlA);
      await putBound(endpoint);
      const moved = await change(endpoint, { url: urlB });

      for (const status of ["ok", "disabled", "deleted"]) {
        if (status === "disabled") await change(moved, { enabled: false });
        if (status === "deleted") await remove(endpoint);
        const answer = await patch(bodyOf(await look()));
        expect(answer.status).toBe(200);
        expect(shown(answer)).toEqual([urlB, endpoint.id, status]);
        expect(await stored()).toMatchObject({ webhookEndpointId: endpoint.id });
      }
    },
  );

  it("binds the watchlist to the endpoint that replaced a deleted one", async () => {
    const endpoint = await register(urlA);
    await putBound(endpoint);
    await remove(endpoint);
    const successor = await register(urlA);

    expect(shown(await patch({ webhook_url: urlA }))).toEqual([urlA, successor.id, "ok"]);

    expect(await stored()).toMatchObject({ webhookEndpointId: successor.id, webhookUrl: urlA });
  });

  it("refuses another URL that is not registered, and two endpoints in one request", async () => {
    const endpoint = await register(urlA);
    const other = await register(urlB);
    await putBound(endpoint);

    for (const body of [
      { webhook_url: "https://c.shop.example.org/hook" },
      { webhook_url: urlA, webhook_endpoint_id: other.id },
    ]) {
      const { status, json } = await patch(body);
      expect(status).toBe(400);
      expect(json["error"]).toMatchObject({ code: "INVALID_PARAM", param: "webhook_url" });
    }
    expect(await look()).toEqual([urlA, endpoint.id, "ok"]);
  });
});

describe("GET /v1/watchlists", () => {
  it("reads the account's webhook endpoints exactly once for a page of a hundred watchlists", async () => {
    const endpoint = await register(urlA);
    const gone = await register(urlB);
    for (let n = 1; n <= 100; n += 1) await putBound(n % 2 === 0 ? endpoint : gone, n);
    await remove(gone);
    const spies = {
      list: vi.spyOn(world.endpoints, "list"),
      deletions: vi.spyOn(world.endpoints, "deletions"),
      get: vi.spyOn(world.endpoints, "get"),
      findByUrl: vi.spyOn(world.endpoints, "findByUrl"),
    };

    const { json } = await world.ask("GET ");

    const data = json["data"] as Record<string, unknown>[];
    expect(data).toHaveLength(100);
    expect(new Set(data.map((list) => list["webhook_endpoint_status"]))).toEqual(
      new Set(["ok", "deleted"]),
    );
    const reads = Object.entries(spies).map(([name, { mock }]) => [name, mock.calls.length]);
    expect(Object.fromEntries(reads)).toEqual({ list: 1, deletions: 1, get: 0, findByUrl: 0 });
  });
});
