import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestWorld, type World } from "../../support/local-world.ts";
import { expectDocumented } from "../../support/openapi.ts";

let world: World;
beforeAll(async () => {
  world = await startTestWorld();
});
afterAll(() => world.stop());

type Body = Readonly<Record<string, unknown>> & {
  readonly data: readonly (Readonly<Record<string, unknown>> & { readonly id: string })[];
};

async function get(path: string, headers: Record<string, string> = {}): Promise<Body> {
  const response = await fetch(`${world.baseUrl}/v1/${path}`, { headers });
  const body = (await response.json()) as Body;
  expectDocumented(`GET /v1/${path}`, response.status, body);
  return body;
}

describe("the health of a source", () => {
  it("is shown by GET /v1/platforms and GET /v1/watchlists/sources after the service has read items", async () => {
    const headers = { Authorization: `Bearer ${world.apiKey}`, "Content-Type": "application/json" };
    const ids = Array.from({ length: 40 }, (_, n) => String(9_100_000 + n));
    const read = await fetch(`${world.baseUrl}/v1/products`, {
      method: "POST",
      headers,
      body: JSON.stringify({ platform: "retailer_d", ids }),
    });
    const { stats } = (await read.json()) as { stats: Record<string, number> };
    const share = ((stats["ok"] ?? 0) + (stats["notFound"] ?? 0)) / ids.length;
    const rate = Math.floor(share * 100 + 1e-9) / 100;

    const platforms = await get("platforms");
    const platform = platforms.data.find(({ id }) => id === "retailer_d");
    expect(platform).toMatchObject({
      endpoints: [
        { id: "products", tiers: [{ health: { success_rate: rate } }] },
        { id: "offers" },
        { id: "offer_check" },
      ],
    });
    const sources = await get("watchlists/sources", headers);
    expect(sources.data.find(({ id }) => id === "retailer_d.standard")).toMatchObject({
      last_hour: { success_rate: rate, latency_ms: expect.anything() },
      last_day: { success_rate: rate },
    });
    expect(sources.data.find(({ id }) => id === "retailer_c.standard")).toMatchObject({
      status: "unknown",
      updated_at: null,
    });
  });

  it("is returned by GET /v1/watchlists/sources only to a call with a key", async () => {
    const response = await fetch(`${world.baseUrl}/v1/watchlists/sources`);
    expect(response.status).toBe(401);
  });
});
