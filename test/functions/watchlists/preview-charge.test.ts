import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startTestWorld, type World } from "../../support/local-world.ts";

/** Items of the sandbox: one with an answer, one without, one that does not exist. */
const ids = ["9000000", "9000006", "9000007"];
const endpoint = "POST /v1/watchlists/{id}/preview";

let world: World;
let watchlistId: string;
beforeAll(async () => {
  world = await startTestWorld();
  const created = await ask("POST", "watchlists", {
    name: "Previewed",
    platform: "retailer_d",
    ids,
    every: "1h",
    status: "paused",
  });
  watchlistId = String(created.body["id"]);
});
afterAll(() => world.stop());

async function ask(method: string, path: string, body?: unknown) {
  const response = await fetch(`${world.baseUrl}/v1/${path}`, {
    method,
    headers: { Authorization: `Bearer ${world.apiKey}`, "Content-Type": "application/json" },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return {
    status: response.status,
    headers: response.headers,
    body: (await response.json()) as Record<string, unknown>,
  };
}

const preview = (body: unknown = {}) => ask("POST", `watchlists/${watchlistId}/preview`, body);
const balance = async () => (await ask("GET", "account")).body["credit_balance"];

describe("the charge of a preview", () => {
  it("excludes unavailable items, and is the same in the body, the headers and the ledger", async () => {
    const before = Number(await balance());
    const { status, headers, body } = await preview();

    expect(status).toBe(200);
    expect(body).toMatchObject({
      total: { items: 3, reads: 3, credits: 2 },
      items: [
        { id: "9000000", reads: [{ status: "ok" }] },
        { id: "9000006", reads: [{ status: "unavailable", values: null, changes: {} }] },
        { id: "9000007", reads: [{ status: "not_found" }] },
      ],
    });
    expect(headers.get("x-service-credits")).toBe("2");
    expect(headers.get("x-service-balance")).toBe(String(before - 2));
    const requestId = headers.get("x-request-id");
    const listed = await ask("GET", `credit_transactions?watchlist_id=${watchlistId}&limit=3`);
    const entry = { request_id: requestId, endpoint, watchlist_id: watchlistId };
    expect(listed.body["data"]).toMatchObject([
      { ...entry, type: "refund", credits: 1, items_requested: 3, items_charged: 2 },
      { ...entry, type: "charge", credits: 2, items_requested: 3, items_charged: 2 },
      { ...entry, type: "reserve", credits: 3, items_requested: 3 },
    ]);
    for (const one of listed.body["data"] as readonly object[]) {
      expect(one).not.toHaveProperty("scraper");
    }
  });

  it("counts towards the account's daily budget, and a preview above the remaining budget gets 409", async () => {
    await ask("PATCH", "account", { daily_credit_budget: 4 });
    const { status, headers, body } = await preview();
    await ask("PATCH", "account", { daily_credit_budget: null });

    expect(status).toBe(409);
    expect(body).toMatchObject({ error: { code: "CONFLICT" } });
    expect(headers.get("x-service-credits")).toBe("0");
  });

  it("changes neither the items, nor the runs, nor the history of the watchlist", async () => {
    await preview();
    const items = await ask("GET", `watchlists/${watchlistId}/items`);
    const runs = await ask("GET", `watchlists/${watchlistId}/runs`);
    const history = await ask("GET", `watchlists/${watchlistId}/items/9000000/history`);

    expect((items.body["data"] as readonly { state: string }[]).map(({ state }) => state)).toEqual(
      ids.map(() => "new"),
    );
    expect([runs.body["data"], history.body["data"]]).toEqual([[], []]);
  });
});
