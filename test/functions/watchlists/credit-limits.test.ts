import { beforeEach, describe, expect, it } from "vitest";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";
import { callOnBench } from "./bench-api.ts";

const tables = openTables();
const ids = ["9000001", "9000002", "9000003"];
let bench: RunBench;
let lists = 0;

/** Creates a watchlist with an ID of the form that the API accepts. */
function createList(limits: Partial<Watchlist> = {}): Promise<Watchlist> {
  lists += 1;
  return bench.createList(ids, { id: `wl_${String(lists).padStart(24, "0")}`, ...limits });
}

beforeEach(async () => {
  bench = await startRunBench({ tables });
  bench.answers.product = () => ({
    status: "ok",
    fields: { price: { amount: 5, currency: "USD" } },
  });
});

const read = async ({ id, accountId: account }: Watchlist) =>
  (await callOnBench(bench, "GET", { path: id, account })).body;

describe("a watchlist in an API response", () => {
  it("shows how many credits of its daily budget its runs used on the current UTC day", async () => {
    const list = await createList({ dailyCreditBudget: 10 });
    expect(await read(list)).toMatchObject({ daily_credits_used: 0 });
    await bench.run(list);
    expect(await read(list)).toMatchObject({ daily_credits_used: 3 });
    const { body } = await callOnBench(bench, "GET", { path: "", account: list.accountId });
    expect(body["data"]).toMatchObject([{ id: list.id, daily_credits_used: 3 }]);
    bench.clock.advance(86_400_000);
    expect(await read(list)).toMatchObject({ daily_credits_used: 0 });
  });

  it("shows no used credits if it has no daily budget", async () => {
    const list = await createList();
    expect(await read(list)).toMatchObject({ daily_credits_used: null, blocked_by_limit: null });
  });

  it.each([
    [{ maxCreditsPerRun: 2 }, "max_credits_per_run"],
    [{ dailyCreditBudget: 2 }, "daily_credit_budget"],
    [{ maxCreditsPerRun: 3, dailyCreditBudget: 3 }, null],
  ] as const)(
    "shows, with the limits %j, '%s' as the limit that is below the price of its first step",
    async (limits, blocking) => {
      const list = await createList(limits);
      expect(await read(list)).toMatchObject({ blocked_by_limit: blocking });
    },
  );
});

describe("a credit estimate of a stored watchlist", () => {
  /**
   * Reads every item at the step `check`, and then, at the step `again`, the items whose price
   * changed.
   */
  const twoSteps: Pipeline = {
    entry: "check",
    baseline: null,
    refresh: null,
    steps: [
      {
        id: "check",
        scraper: "retailer_d.standard",
        routes: [{ when: "changed", field: "price", run: "again" }],
      },
      { id: "again", scraper: "retailer_d.standard", routes: [] },
    ],
  };
  const estimate = async (list: Watchlist, { budget, ...body }: Record<string, unknown> = {}) => {
    const { body: found } = await callOnBench(bench, "POST", {
      path: "estimate",
      account: list.accountId,
      body: { watchlist_id: list.id, ...body },
      ...(typeof budget === "number" && { budget }),
    });
    return { limit: found["blocked_by_limit"], steps: found["blocked_steps"] };
  };
  async function runWithPrice(list: Watchlist, amount: number): Promise<void> {
    bench.answers.product = () => ({
      status: "ok",
      fields: { price: { amount, currency: "USD" } },
    });
    bench.clock.advance(3_600_000);
    await bench.run(list);
  }

  it("names a later step whose deferred items exceed a limit, until the limit is high enough for these items", async () => {
    const list = await createList({ pipeline: twoSteps, maxCreditsPerRun: 4 });
    await bench.run(list);
    expect(await estimate(list)).toEqual({ limit: null, steps: [] });
    await runWithPrice(list, 6);
    const again = { step: "again", credits: 3, available: 1 };
    const blocked = { ...again, limit: "max_credits_per_run" };
    expect(await estimate(list)).toEqual({ limit: null, steps: [blocked] });
    await runWithPrice(list, 6);
    expect(await bench.lastRun(list)).toMatchObject({ credits: 3, stats: { deferred: 3 } });
    expect(await estimate(list)).toEqual({ limit: null, steps: [blocked] });

    const daily = { max_credits_per_run: null, daily_credit_budget: 5 };
    expect((await estimate(list, daily)).steps).toEqual([
      { ...again, available: 2, limit: "daily_credit_budget" },
    ]);
    const byAccount = { max_credits_per_run: null, budget: 4 };
    expect((await estimate(list, byAccount)).steps).toEqual([
      { ...again, limit: "account_daily_credit_budget" },
    ]);
    expect(await estimate(list, { max_credits_per_run: 6 })).toEqual({ limit: null, steps: [] });
  });

  it("names a later step if the step's items in an average run exceed a limit", async () => {
    const list = await createList({ pipeline: twoSteps });
    await bench.run(list);
    await runWithPrice(list, 6);
    await runWithPrice(list, 7);
    // Two of the three runs read 3 items again; the first run found no change.
    expect((await estimate(list, { max_credits_per_run: 5 })).steps).toMatchObject([
      { step: "again", available: 2 },
    ]);
    expect((await estimate(list, { max_credits_per_run: 6 })).steps).toEqual([]);
  });

  it("names the daily budget of the account if this budget is below the price of the first step", async () => {
    const list = await createList();
    const steps = [
      { step: "check", credits: 3, available: 2, limit: "account_daily_credit_budget" },
    ];
    const limit = "account_daily_credit_budget";
    expect(await estimate(list, { budget: 2 })).toEqual({ limit, steps });
    expect(await estimate(list, { budget: 2, every: "1h" })).toEqual({ limit, steps });
    expect(await estimate(list, { budget: 3 })).toEqual({ limit: null, steps: [] });
  });

  it("names the step of a refresh that exceeds a limit", async () => {
    const pipeline = { ...twoSteps, refresh: { entry: "again", everyRuns: 4 } };
    const list = await createList({ pipeline, refreshEveryRuns: 4 });
    expect((await estimate(list, { max_credits_per_run: 2 })).steps).toMatchObject([
      { step: "check" },
      { step: "again" },
    ]);
  });
});

describe("a credit forecast with a daily budget", () => {
  it("is at most the credits that today's runs used plus the budget of the next day", async () => {
    const list = await createList({ dailyCreditBudget: 7 });
    const day = async () => {
      const { body } = await callOnBench(bench, "POST", {
        path: "estimate",
        account: list.accountId,
        body: { watchlist_id: list.id, every: "1h" },
      });
      return (body["forecast"] as Record<string, unknown>)["day"];
    };
    expect(await day()).toEqual({ runs: 24, best: 6, likely: 6, worst: 12 });
    await bench.run(list);
    expect(await day()).toMatchObject({ likely: 6, worst: 9 });
    bench.clock.advance(86_400_000);
    expect(await day()).toMatchObject({ worst: 12 });
  });
});
