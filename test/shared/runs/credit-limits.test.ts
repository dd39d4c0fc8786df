import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { dynamoDailyBudgetStore } from "../../../shared/aws/accounts/daily-budget-store.ts";
import { dynamoUsageStore } from "../../../shared/aws/accounts/usage-store.ts";
import { accountKeys } from "../../../shared/aws/table/table.ts";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { pulseThenFull } from "../../support/pulse-then-full.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();

const skus = ["9000001", "9000002", "9000003", "9000004"];
const asins = ["B000000001", "B000000002", "B000000003"];
const fields = { price: { amount: 1, currency: "USD" } };
const scanned = { retailer_a: { newCount: 1, newMinPrice: 1 } };

async function withList(
  ids: readonly string[],
  settings: Partial<Watchlist>,
): Promise<{ bench: RunBench; list: Watchlist }> {
  const bench = await startRunBench({ tables, credits: 1_000 });
  const list = await bench.createList(ids, settings);
  bench.answers.product = () => ({ status: "ok", fields: { ...fields, ...scanned } });
  return { bench, list };
}

async function patch(
  { bench, list }: { bench: RunBench; list: Watchlist },
  settings: Partial<Watchlist>,
): Promise<void> {
  const before = (await bench.list(list)) ?? list;
  const after = { ...before, ...settings, revision: before.revision + 1 };
  await bench.watchlists.update({ before, after });
}

/** Returns the daily budgets of accounts, in a process that shares no cache with the run engine. */
function accountBudgets(bench: RunBench) {
  const options = {
    accountsTable: bench.accountsTable,
    ledgerTable: bench.accountsTable,
    clock: bench.clock,
    random: bench.random,
  };
  const usage = dynamoUsageStore(bench.table.client, options);
  return dynamoDailyBudgetStore(bench.table.client, { ...options, usage });
}

const usedOn = async ({ bench, list }: { bench: RunBench; list: Watchlist }, day: string) => {
  const key = accountKeys.dailyBudget(list.accountId, list.id, day);
  const { Item } = await bench.table.client.send(
    new GetCommand({ TableName: bench.accountsTable, Key: key, ConsistentRead: true }),
  );
  return Item?.["used"];
};

describe("a run whose first step costs more than 'max_credits_per_run'", () => {
  it("completes without a read or a charge, and counts the items of the step as deferred", async () => {
    const { bench, list } = await withList(skus, { maxCreditsPerRun: 3 });
    for (let run = 1; run <= 4; run += 1) {
      await bench.run(list);
      bench.clock.advance(3_600_000);
    }
    expect(await bench.lastRun(list)).toMatchObject({
      runNumber: 4,
      status: "completed",
      credits: 0,
      stats: { deferred: 4, steps: { check: { requested: 0, credits: 0 } }, retryNextRun: 0 },
      error:
        "Step 'check' needed 4 credits for 4 items, but the watchlist's max_credits_per_run left " +
        "3 credits. The items of these steps are deferred to the next run.",
    });
    expect(await bench.list(list)).toMatchObject({ status: "active", consecutiveSkips: 0 });
    expect(await bench.account()).toMatchObject({ balance: 1_000, held: 0 });
    expect(bench.reads()).toBe(0);
  });

  it("leaves its items to the first run after the limit is increased", async () => {
    const world = await withList(skus, { maxCreditsPerRun: 3 });
    const { bench, list } = world;
    await bench.run(list);
    await patch(world, { maxCreditsPerRun: 4 });
    bench.clock.advance(3_600_000);
    await bench.run(list);
    expect(await bench.lastRun(list)).toMatchObject({ credits: 4, error: null });
  });

  it("defers this first step, and reads a later step that costs less", async () => {
    const pipeline: Pipeline = {
      entry: "scan",
      baseline: "first",
      refresh: null,
      steps: [
        { id: "first", scraper: "retailer_a.full", routes: [] },
        { id: "scan", scraper: "retailer_a.pulse", routes: [] },
      ],
    };
    const world = await withList(asins, { platform: "retailer_a", pipeline });
    const { bench, list } = world;
    const answer = bench.answers.product;
    bench.answers.product = (id, scraper) =>
      id === asins[0] ? { status: "unavailable" } : answer(id, scraper);
    await bench.run(list);
    await patch(world, { maxCreditsPerRun: 4 });
    bench.clock.advance(3_600_000);
    await bench.run(list);
    expect(await bench.lastRun(list)).toMatchObject({
      status: "completed",
      credits: 1,
      stats: { deferred: 1, steps: { first: { requested: 0 }, scan: { requested: 2 } } },
    });
  });

  it("defers its refresh to the next run", async () => {
    const world = await withList(asins, { platform: "retailer_a", refreshEveryRuns: 2 });
    const { bench, list } = world;
    await bench.run(list);
    await patch(world, { maxCreditsPerRun: 2 });
    bench.clock.advance(3_600_000);
    await bench.run(list);
    expect(await bench.lastRun(list)).toMatchObject({ kind: "refresh", credits: 0 });
    await patch(world, { maxCreditsPerRun: null });
    bench.clock.advance(3_600_000);
    await bench.run(list);
    expect(await bench.lastRun(list)).toMatchObject({ runNumber: 3, kind: "refresh", credits: 3 });
  });
});

describe("a run whose second step costs more than 'max_credits_per_run'", () => {
  it("defers this step, and the same step of the next run reads the items", async () => {
    const world = await withList(asins, {
      platform: "retailer_a",
      pipeline: pulseThenFull,
      maxCreditsPerRun: 15,
    });
    const { bench, list } = world;
    await bench.run(list);
    expect(await bench.lastRun(list)).toMatchObject({
      status: "completed",
      credits: 1,
      stats: { deferred: 3, steps: { full: { requested: 0, credits: 0 } } },
      error:
        "Step 'full' needed 15 credits for 3 items, but the watchlist's max_credits_per_run left " +
        "14 credits. The items of these steps are deferred to the next run.",
    });
    await patch(world, { maxCreditsPerRun: 16 });
    bench.clock.advance(3_600_000);
    await bench.run(list);
    expect(await bench.lastRun(list)).toMatchObject({ credits: 16, stats: { deferred: 0 } });
  });
});

describe("a watchlist with a 'daily_credit_budget'", () => {
  it("charges at most its budget on a UTC day, and runs again on the next day", async () => {
    const world = await withList(skus, { dailyCreditBudget: 9 });
    const { bench, list } = world;
    const charged: number[] = [];
    const days = new Set<string>();
    for (let run = 1; run <= 25; run += 1) {
      days.add(bench.clock.now().toISOString().slice(0, 10));
      await bench.run(list);
      charged.push((await bench.lastRun(list)).credits);
      bench.clock.advance(3_600_000);
    }
    expect(days.size).toBe(2);
    const [first = ""] = days;
    expect(charged.slice(0, 3)).toEqual([4, 4, 0]);
    expect(charged.at(-1)).toBe(4);
    expect(await usedOn(world, first)).toBe(8);
    expect((await bench.list(list))?.status).toBe("active");
  });

  it("can spend credits of the budget again on the same day after a refund for items without an answer", async () => {
    const world = await withList(skus, { dailyCreditBudget: 5 });
    const { bench, list } = world;
    bench.answers.product = (id) =>
      id === skus[0] ? { status: "ok", fields } : { status: "unavailable" };
    await bench.run(list);
    expect(await usedOn(world, bench.clock.now().toISOString().slice(0, 10))).toBe(1);
    bench.clock.advance(3_600_000);
    await bench.run(list);
    expect(await bench.lastRun(list)).toMatchObject({ status: "completed", error: null });
  });

  it("defers a run after the budget is used up, and the run's error states how many credits were left in the budget", async () => {
    const { bench, list } = await withList(skus, { dailyCreditBudget: 7 });
    await bench.run(list);
    bench.clock.advance(3_600_000);
    await bench.run(list);
    expect((await bench.lastRun(list)).error).toBe(
      "Step 'check' needed 4 credits for 4 items, but the watchlist's daily_credit_budget left " +
        "3 credits. The items of these steps are deferred to the next run.",
    );
  });

  it("defers a step if calls and runs together would exceed the daily budget of the account", async () => {
    const { bench, list } = await withList(skus, {});
    const budgets = accountBudgets(bench);
    await budgets.set(list.accountId, { budget: 6, now: bench.clock.now() });
    const now = bench.clock.now();
    await bench.ledger.reserve({
      accountId: list.accountId,
      holdId: "call",
      credits: 3,
      slot: true,
      source: { requestId: "call" },
      now,
      expiresAt: new Date(now.getTime() + 60_000),
    });
    await bench.run(list);
    expect(await bench.lastRun(list)).toMatchObject({
      status: "completed",
      credits: 0,
      error:
        "Step 'check' needed 4 credits for 4 items, but the account's daily_credit_budget left " +
        "3 credits. The items of these steps are deferred to the next run.",
    });
    await bench.ledger.settle({
      accountId: list.accountId,
      holdId: "call",
      credits: 2,
      succeeded: true,
      now,
    });
    bench.clock.advance(3_600_000);
    await bench.run(list);
    expect((await bench.lastRun(list)).credits).toBe(4);
    expect(await budgets.used(list.accountId, now)).toBe(6);
  });

  it.each([1_000, null])(
    "reads its items in the first run after the account's daily budget is set to %s, even if the process has cached the old budget",
    async (budget) => {
      const { bench, list } = await withList(skus, {});
      const budgets = accountBudgets(bench);
      await budgets.set(list.accountId, { budget: 3, now: bench.clock.now() });
      await bench.run(list);
      expect(await bench.lastRun(list)).toMatchObject({ credits: 0, stats: { deferred: 4 } });
      await budgets.set(list.accountId, { budget, now: bench.clock.now() });
      bench.clock.advance(3_600_000);
      await bench.run(list);
      expect(await bench.lastRun(list)).toMatchObject({ credits: 4, error: null });
    },
  );
});
