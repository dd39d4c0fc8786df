import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Item } from "../../../shared/watchlists/item.ts";
import { type CrashPoint, type RunBench, startRunBench } from "../../support/run-bench.ts";
import { startTables, type TestTables } from "../../support/tables.ts";

let tables: TestTables;
beforeAll(async () => {
  tables = await startTables();
});
afterAll(() => tables.stop());

const fields = (amount: number): Record<string, unknown> => ({
  price: { amount, currency: "USD" },
  availability: { inStock: true, message: "" },
  retailer_d: { state: "ADD_TO_CART", regularPrice: 20, purchasable: true },
});
const ids = ["10001", "10002", "10003", "10004"];

/** First run: all found. Second: one moved, one gone, one unanswered, one as before. */
const first: RunBench["answers"] = () => ({ status: "ok", fields: fields(10) });
const second: RunBench["answers"] = (id) => {
  if (id === "10001") return { status: "ok", fields: fields(12) };
  if (id === "10002") return { status: "not_found" };
  return id === "10003" ? { status: "unavailable" } : { status: "ok", fields: fields(10) };
};

async function items(bench: RunBench, watchlistId: string): Promise<Item[]> {
  const found: Item[] = [];
  for await (const page of bench.watchlists.pages(watchlistId)) found.push(...page.items);
  return found;
}

/** Two runs, the second of them crashed at one point; what there is to see in the end. */
async function twoRuns(
  options: { crash?: CrashPoint; deliveries?: number } = {},
): Promise<Record<string, unknown> & { calls: number }> {
  const bench = await startRunBench({ tables, deliveries: options.deliveries ?? 1 });
  const list = await bench.createList(ids);
  bench.answers = first;
  await bench.run(list);
  bench.clock.set("2026-03-01T01:00:00Z");
  bench.answers = second;
  await bench.run(list, options.crash);
  const calls = bench.calls();
  const account = await bench.account();
  const { runs } = await bench.runs.list(list.id, 10);
  return {
    calls,
    runs: runs.map(({ runNumber, status, credits, phase, stats }) => ({
      runNumber,
      status,
      credits,
      phase,
      stats,
    })),
    events: [...bench.published.values()].map(({ type, items: count }) => [type, count]),
    items: (await items(bench, list.id)).map(
      ({ id, state, snapshot, lastReadStatus, consecutiveFailures }) => ({
        id,
        state,
        price: snapshot?.["price"],
        lastReadStatus,
        consecutiveFailures,
      }),
    ),
    money: { balance: account.balance, held: account.held, spent: account.spent },
    list: (({ runningRun, lastRunStatus, itemCounts, runCount }) => ({
      runningRun,
      lastRunStatus,
      itemCounts,
      runCount,
    }))((await bench.watchlists.get(list.accountId, list.id)) ?? list),
  };
}

const asExpected = {
  runs: [
    {
      runNumber: 2,
      status: "completed",
      phase: "done",
      credits: 3,
      stats: {
        tracked: 4,
        entry: "check",
        newItems: 0,
        steps: {
          check: {
            scraper: "retailer_d.standard",
            requested: 4,
            ok: 2,
            partial: 0,
            notFound: 1,
            unavailable: 1,
            credits: 3,
            skipped: 0,
          },
        },
        matched: 0,
        deferred: 0,
        changed: 1,
        delisted: 1,
        retryNextRun: 1,
      },
    },
    expect.objectContaining({ runNumber: 1, status: "completed", phase: "done", credits: 4 }),
  ],
  events: [
    ["watchlist.run.completed", 0],
    ["watchlist.product.changed", 1],
    ["watchlist.product.delisted", 1],
    ["watchlist.run.completed", 0],
  ],
  items: [
    { id: "10001", state: "active", price: 12, lastReadStatus: "ok", consecutiveFailures: 0 },
    {
      id: "10002",
      state: "delisted",
      price: 10,
      lastReadStatus: "not_found",
      consecutiveFailures: 0,
    },
    {
      id: "10003",
      state: "active",
      price: 10,
      lastReadStatus: "unavailable",
      consecutiveFailures: 1,
    },
    { id: "10004", state: "active", price: 10, lastReadStatus: "ok", consecutiveFailures: 0 },
  ],
  money: { balance: 4_993, held: 0, spent: 7 },
  list: {
    runningRun: null,
    lastRunStatus: "completed",
    itemCounts: { new: 0, active: 3, delisted: 1 },
    runCount: 2,
  },
};

describe("a run", () => {
  it("reads, compares, stores, charges and reports as the specification says", async () => {
    expect(await twoRuns()).toMatchObject(asExpected);
  });

  it("comes to the same when every message is delivered twice", async () => {
    expect(await twoRuns({ deliveries: 2 })).toMatchObject(asExpected);
  });

  it("comes to the same wherever a process dies, before or after any call, once its message comes again", async () => {
    const { calls } = await twoRuns();
    expect(calls).toBeGreaterThan(20);
    for (let call = 1; call <= calls; call += 1) {
      for (const when of ["before", "after"] as const) {
        expect(await twoRuns({ crash: { call, when } }), `${when} call ${call}`).toMatchObject(
          asExpected,
        );
      }
    }
  });

  it("does not read a delisted item again", async () => {
    const bench = await startRunBench({ tables });
    const list = await bench.createList(ids);
    bench.answers = () => ({ status: "not_found" });
    await bench.run(list);
    const reads = bench.reads();
    bench.clock.set("2026-03-01T01:00:00Z");
    await bench.run(list);
    expect(bench.reads()).toBe(reads);
    expect((await bench.runs.list(list.id, 1)).runs[0]).toMatchObject({
      status: "completed",
      credits: 0,
    });
  });
});

describe("a list whose account is short of credits", () => {
  it("skips the run without reading or charging, and pauses at the third skip in a row", async () => {
    const bench = await startRunBench({ tables, credits: 3 });
    const list = await bench.createList(ids);
    bench.answers = first;
    for (let skip = 1; skip <= 3; skip += 1) {
      bench.clock.set(`2026-03-01T0${skip}:00:00Z`);
      await bench.run(list);
      expect(await bench.watchlists.get(list.accountId, list.id)).toMatchObject({
        consecutiveSkips: skip,
        lastRunStatus: "insufficient_credits",
        status: skip === 3 ? "paused" : "active",
        pausedReason: skip === 3 ? "insufficient_credits" : null,
      });
    }
    expect(bench.reads()).toBe(0);
    expect(await bench.account()).toMatchObject({ balance: 3, held: 0, spent: 0 });
    expect((await bench.watchlists.get(list.accountId, list.id))?.nextRunAt).toBeNull();
    const bodies = [...bench.published.values()].map(
      (event) => JSON.parse(event.body) as { data: unknown },
    );
    expect(bodies).toHaveLength(3);
    expect(bodies[2]?.data).toMatchObject({
      status: "insufficient_credits",
      watchlist: { status: "paused", paused_reason: "insufficient_credits", next_run_at: null },
    });
  });
});

describe("a tick", () => {
  it("starts nothing for a list that is not due, and one run for a due time however often it comes", async () => {
    const bench = await startRunBench({ tables });
    const list = await bench.createList(ids);
    bench.answers = first;
    await bench.run(list);
    await bench.run({ ...list });
    expect((await bench.runs.list(list.id, 10)).runs).toHaveLength(2);
    const { nextRunAt } = (await bench.watchlists.get(list.accountId, list.id)) ?? list;
    expect(new Date(nextRunAt ?? 0).getTime()).toBeGreaterThan(bench.clock.now().getTime());
  });
});
