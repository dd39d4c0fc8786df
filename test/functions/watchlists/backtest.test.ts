import { beforeEach, describe, expect, it } from "vitest";
import { newItem } from "../../../shared/watchlists/item.ts";
import { aWatchlist } from "../../support/a-watchlist.ts";
import { putWatchlist } from "../../support/put-watchlist.ts";
import { openTables } from "../../support/tables.ts";
import { openWatchlistWorld, type WatchlistWorld } from "../../support/watchlist-world.ts";

const id = `wl_${"1".repeat(24)}`;
const tables = openTables();
let world: WatchlistWorld;

beforeEach(async () => {
  world = await openWatchlistWorld(tables);
  const list = aWatchlist({ id, accountId: "acct_1", platform: "retailer_d" });
  const items = [newItem("9000000", "2026-01-01T00:00:00.000Z")];
  await putWatchlist({ client: world.client, ...world.options }, list, items);
});

describe("POST /v1/watchlists/{id}/backtest", () => {
  it("returns 404 for a watchlist that does not exist", async () => {
    const { status } = await world.ask(`POST /wl_${"9".repeat(24)}/backtest`, { body: {} });
    expect(status).toBe(404);
  });

  it("refuses a watchlist without a run in the span, and names the field to change", async () => {
    const { status, json } = await world.ask(`POST /${id}/backtest`, { body: {} });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { param: "since" } });
  });

  it("refuses a pipeline of another platform, and names the key to change", async () => {
    const steps = [{ id: "scan", scraper: "retailer_a.pulse", routes: [] }];
    const { status, json } = await world.ask(`POST /${id}/backtest`, {
      body: { pipeline: { steps } },
    });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { param: "pipeline.steps[0].scraper" } });
  });
});
