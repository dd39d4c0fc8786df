import { beforeEach, describe, expect, it } from "vitest";
import { newBacktestJob } from "../../../shared/backtest/backtest-job.ts";
import { defaultPipeline } from "../../../shared/pipelines/default.ts";
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

  it("returns 400 that names 'since' if the watchlist had no run in the time span", async () => {
    const { status, json } = await world.ask(`POST /${id}/backtest`, { body: {} });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { param: "since" } });
  });

  it("returns 400 that names the invalid key if the pipeline is for another platform", async () => {
    const steps = [{ id: "scan", scraper: "retailer_a.pulse", routes: [] }];
    const { status, json } = await world.ask(`POST /${id}/backtest`, {
      body: { pipeline: { steps } },
    });
    expect(status).toBe(400);
    expect(json).toMatchObject({ error: { param: "pipeline.steps[0].scraper" } });
  });
});

describe("GET /v1/watchlists/{id}/backtests/{backtest_id}", () => {
  const jobId = `bt_${"1".repeat(24)}`;

  beforeEach(async () => {
    const job = {
      accountId: "acct_1",
      watchlistId: id,
      id: jobId,
      pipeline: defaultPipeline("retailer_d", 0),
      span: { since: "2026-01-01T00:00:00.000Z", until: "2026-03-01T00:00:00.000Z" },
    };
    await world.backtests.create(newBacktestJob(job, world.clock.now()));
  });

  it("returns the status and progress of a running back-test, and the error of a failed one", async () => {
    const created = await world.ask(`GET /${id}/backtests/${jobId}`);
    expect(created).toMatchObject({
      status: 200,
      json: { id: jobId, watchlist_id: id, status: "pending", progress: null, ended_at: null },
    });
    const ref = { accountId: "acct_1", watchlistId: id, id: jobId };
    await world.backtests.recordProgress(ref, { runsDone: 2, runs: 9 });
    const running = await world.ask(`GET /${id}/backtests/${jobId}`);
    expect(running.json).toMatchObject({ status: "running", progress: { runs_done: 2, runs: 9 } });
    await world.backtests.end(ref, { status: "failed", error: "Send a later 'since'." });
    const ended = await world.ask(`GET /${id}/backtests/${jobId}`);
    expect(ended.json).toMatchObject({ status: "failed", error: "Send a later 'since'." });
  });

  it.each([
    ["a back-test that does not exist", `/${id}/backtests/bt_${"9".repeat(24)}`, "owner"],
    ["an object that is not a back-test", `/${id}/backtests/latest`, "owner"],
    ["a back-test of another account", `/${id}/backtests/${jobId}`, "stranger"],
  ] as const)(
    "returns 404 for an ID under which the account has no back-test (ID of %s)",
    async (_name, path, as) => {
      expect((await world.ask(`GET ${path}`, { as })).status).toBe(404);
    },
  );
});
