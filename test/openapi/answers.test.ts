import { afterAll, beforeAll, describe, expect, it } from "vitest";
import document from "../../functions/meta/generated/openapi.json" with { type: "json" };
import { startTestWorld, type World } from "../support/local-world.ts";
import { apiClient, type ApiAnswer, type ApiClient } from "../../tools/customer/api-client.ts";
import { type ReservedId, reservedIds } from "../../shared/scrapers/reserved-ids.ts";
import { documented } from "../support/openapi.ts";

let world: World;
let api: ApiClient;

beforeAll(async () => {
  world = await startTestWorld();
  api = documented(apiClient(world.baseUrl, world.apiKey));
});
afterAll(() => world.stop());

/** Returns the reserved IDs, except those whose reads the sandbox delays. */
const quickIds = (ids: readonly ReservedId[]): string[] =>
  ids.filter(({ behavior }) => behavior !== "slow").map(({ id }) => id);

const idOf = ({ body }: ApiAnswer): string => String(body["id"]);

describe("the running service and the OpenAPI document agree about", () => {
  it.each([
    ["retailer_a", "pulse"],
    ["retailer_a", "lite"],
    ["retailer_a", "full"],
    ["retailer_b", "standard"],
    ["retailer_c", "standard"],
    ["retailer_d", "standard"],
  ] as const)(
    "the responses to product calls of the platform %s at the tier %s, with items in every status",
    async (platform, tier) => {
      const ordinary = Array.from({ length: 60 }, (_, n) =>
        platform === "retailer_a" ? `B0${String(10_000_000 + n)}` : String(1_000_000 + n),
      );
      const ids = [...quickIds(reservedIds[platform]), ...ordinary];
      const answer = await api.send("POST", "/products", { platform, tier, ids });
      expect(answer.status).toBe(200);
      const statuses = (answer.body["results"] as { status: string }[]).map(({ status }) => status);
      expect(new Set(statuses)).toEqual(new Set(["ok", "partial", "not_found", "unavailable"]));
    },
  );

  it("the responses to calls for offers of several items, offers of one item, and offer checks", async () => {
    const ids = quickIds(reservedIds.retailer_a);
    const offers = await api.send("POST", "/offers", { ids });
    expect(offers.status).toBe(200);
    expect((await api.get(`/products/${ids[0]}/offers`)).status).toBe(200);
    const results = offers.body["results"] as { asin: string; buyboxOfferListingId?: string }[];
    const named = results.flatMap(({ asin, buyboxOfferListingId: offerListingId }) =>
      offerListingId === undefined ? [] : [{ asin, offerListingId }],
    );
    expect(named.length).toBeGreaterThan(0);
    expect((await api.send("POST", "/offers/check", { offers: named })).status).toBe(200);
  });

  it("the lists and resources of an empty account", async () => {
    const free = ["account", "usage?days=3", "credit_transactions?limit=5", "api_keys"];
    const open = ["health", "platforms", "structured", "watchlists", "webhook_endpoints"];
    for (const path of [...free, ...open]) {
      expect((await api.get(`/${path}`)).status, path).toBe(200);
    }
  });

  it("the responses about a watchlist with its items and runs, including an error 409", async () => {
    const body = { name: "List", platform: "retailer_d", ids: ["9000000"], every: "1h" };
    const created = await api.send("POST", "/watchlists", body);
    expect(created.status).toBe(201);
    for (const path of ["", "/items", "/items/9000000", "/runs"]) {
      expect((await api.get(`/watchlists/${idOf(created)}${path}`)).status, path).toBe(200);
    }
    expect([202, 409]).toContain(
      (await api.send("POST", `/watchlists/${idOf(created)}/run`)).status,
    );
  });

  it("the responses about a webhook endpoint, an API key and an announced feature", async () => {
    const url = `${world.receiverUrl}/documented`;
    const endpoint = await api.send("POST", "/webhook_endpoints", { url });
    expect(endpoint.status).toBe(201);
    expect((await api.get(`/webhook_endpoints/${idOf(endpoint)}`)).status).toBe(200);
    expect((await api.send("POST", "/api_keys", { name: "second" })).status).toBe(201);
    const structured = "/structured/retailer_a/search";
    expect((await api.get(`${structured}?query=x`)).status).toBe(501);
    expect((await api.send("POST", structured, { query: "x" })).status).toBe(501);
  });

  it("the example request bodies, all of which the service accepts", async () => {
    const paths = document.paths as Readonly<Record<string, object>>;
    const bodies = Object.entries<Posted>(paths).flatMap(([path, { post }]) =>
      Object.values(post?.requestBody?.content["application/json"].examples ?? {}).map(
        ({ value }) => ({ path, value }),
      ),
    );
    expect(bodies.length).toBeGreaterThan(5);
    for (const { path, value } of bodies) {
      const called = path.replace("/v1", "").replace("{platform}", "retailer_a");
      const answer = await api.send("POST", called.replace("{kind}", "search"), value);
      const isForeign = JSON.stringify(value).includes("receiver.example.com");
      if (!isForeign)
        expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).not.toBe(400);
    }
  });
});

interface Posted {
  readonly post?: {
    readonly requestBody?: {
      readonly content: {
        readonly "application/json": {
          readonly examples: Readonly<Record<string, { readonly value: unknown }>>;
        };
      };
    };
  };
}
