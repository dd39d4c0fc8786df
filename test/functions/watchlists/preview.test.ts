import { beforeEach, describe, expect, it } from "vitest";
import { newItem } from "../../../shared/watchlists/item.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { openTables } from "../../support/tables.ts";
import { openWatchlistWorld, type WatchlistWorld } from "../../support/watchlist-world.ts";

const id = `wl_${"1".repeat(24)}`;
const empty = `wl_${"2".repeat(24)}`;
const addedAt = "2026-01-01T00:00:00.000Z";
const itemIds = Array.from({ length: 12 }, (_, n) => String(9_000_000 + n));
const delisted = "9000001";
const tables = openTables();
let world: WatchlistWorld;

beforeEach(async () => {
  world = await openWatchlistWorld(tables);
  world.answers.product = () => ({
    status: "ok",
    fields: { price: { amount: 5, currency: "USD" }, availability: { inStock: true } },
  });
  const { client, options } = world;
  const list = aWatchlist({
    id,
    accountId: "acct_1",
    platform: "retailer_d",
    itemCounts: { new: itemIds.length - 1, active: 0, delisted: 1 },
  });
  const items = itemIds.map((one) => {
    const item = newItem(one, addedAt);
    return one === delisted ? { ...item, state: "delisted" as const, delistedAt: addedAt } : item;
  });
  await putWatchlist({ client, ...options }, list, items);
  const noItems = { new: 0, active: 0, delisted: 0 };
  await putWatchlist({ client, ...options }, { ...list, id: empty, itemCounts: noItems }, []);
});

const preview = (body: unknown, of = id) => world.ask(`POST /${of}/preview`, { body });

describe("POST /v1/watchlists/{id}/preview", () => {
  it("reads the first ten items in ID order, without delisted items, and returns the charge", async () => {
    const { status, headers, json } = await preview({});

    expect(status).toBe(200);
    const read = itemIds.filter((one) => one !== delisted).slice(0, 10);
    expect((json["items"] as readonly { readonly id: string }[]).map((one) => one.id)).toEqual(
      read,
    );
    expect(json).toMatchObject({
      object: "watchlist_preview",
      watchlist_id: id,
      run_number: 1,
      kind: "sweep",
      total: { items: 10, reads: 10, credits: 10 },
    });
    expect(headers).toMatchObject({ "X-Service-Credits": "10" });
  });

  it("reads the items that the request names, each once and sorted by ID", async () => {
    const { json } = await preview({ items: "9000011, 9000003\n9000011" });

    expect(json).toMatchObject({
      total: { items: 2 },
      items: [{ id: "9000003" }, { id: "9000011" }],
    });
  });

  it.each([
    [
      "an ID that is not on the watchlist",
      ["9000003", "9999999"],
      "items",
      "not on this watchlist",
    ],
    ["a delisted item", [delisted], "items", "is delisted"],
    ["a malformed ID", ["9000003", "x"], "items[1]", "must be a SKU"],
    ["a number in place of an ID", ["9000003", 5], "items[1]", "must be a string (got 5)"],
    ["more than ten items", itemIds, "items", "at most 10 IDs"],
    ["no item", [], "items", "is empty"],
  ])("returns 400 for an invalid choice of items (%s), and charges nothing", async (...row) => {
    const [, items, param, message] = row;
    const { status, headers, json } = await preview({ items });

    expect(status).toBe(400);
    expect(json).toMatchObject({
      error: { param, message: expect.stringContaining(message) as string },
    });
    expect(headers).toMatchObject({ "X-Service-Credits": "0" });
  });

  it("returns 400 that names the invalid key if the pipeline is for another platform", async () => {
    const steps = [{ id: "scan", scraper: "retailer_a.pulse", routes: [] }];
    const { status, json } = await preview({ pipeline: { steps } });

    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { param: "pipeline.steps[0].scraper" } });
  });

  it("returns 409 for a watchlist without items, before it checks the pipeline", async () => {
    const { status, json } = await preview({ pipeline: { steps: 1 } }, empty);

    expect(status).toBe(409);
    expect(json).toMatchObject({ error: { code: "CONFLICT" } });
  });

  it("returns 404 for a watchlist of another account", async () => {
    const { status } = await world.ask(`POST /${id}/preview`, { body: {}, as: "stranger" });
    expect(status).toBe(404);
  });

  it("returns 403 to a key of the demo workspace", async () => {
    const { status, json } = await world.ask(`POST /${id}/preview`, { body: {}, as: "demo" });
    expect(status).toBe(403);
    expect(json).toMatchObject({ error: { code: "DEMO_READ_ONLY" } });
  });

  it("returns 402 if the preview would reserve more than 'max_credits'", async () => {
    const { status, json } = await preview({ max_credits: 9 });
    expect(status).toBe(402);
    expect(json).toMatchObject({ error: { param: "max_credits" } });
  });
});
