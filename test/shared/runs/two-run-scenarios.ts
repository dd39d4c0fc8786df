import { currentSnapshot, type Item } from "../../../shared/watchlists/item.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { expect } from "vitest";
import { type CrashPoint, type RunBench, startRunBench } from "../../support/run-bench.ts";
import type { TestTables } from "../../support/tables.ts";

/**
 * Returns the fields of a product read of `retailer_d`, a platform with one tier, with this price.
 */
export const standard = (amount: number): Record<string, unknown> => ({
  price: { amount, currency: "USD" },
  availability: { inStock: true, message: "" },
  retailer_d: { state: "ADD_TO_CART", regularPrice: 20, purchasable: true },
});
/**
 * Returns the fields of a product read of retailer_a, with this price and this lowest new price.
 */
export const product = (price: number, newMinPrice: number): Record<string, unknown> => ({
  price: { amount: price, currency: "USD" },
  availability: { inStock: true, message: "" },
  retailer_a: { newCount: 2, newMinPrice, buybox: { offerListingId: "o1", isFba: true } },
});

/** Returns the IDs of the steps for which an item has an owed retry. */
export const owedSteps = ({ owes }: Item): readonly string[] => owes.map(({ step }) => step);

/** Returns the state of a watchlist that clients can observe, without the IDs of its events. */
async function seen(bench: RunBench, list: Watchlist) {
  const { balance, held, spent } = await bench.account();
  const { runs } = await bench.runs.list(list.id, 10);
  const current = await bench.list(list);
  return {
    runs: runs.map(({ runNumber, kind, status, phase, credits, stats }) => ({
      runNumber,
      kind,
      status,
      phase,
      credits,
      stats,
    })),
    events: [...bench.published.values()].map(({ type, items }) => [type, items]),
    items: (await bench.items(list)).map((item) => ({
      id: item.id,
      state: item.state,
      price: currentSnapshot(item)?.["price"],
      lastReadStatus: item.lastReadStatus,
      failures: item.consecutiveFailures,
      owes: owedSteps(item),
    })),
    money: { balance, held, spent },
    list: {
      runningRun: current?.runningRun,
      lastRunStatus: current?.lastRunStatus,
      itemCounts: current?.itemCounts,
      runCount: current?.runCount,
    },
  };
}

interface Scenario {
  readonly tables: TestTables;
  readonly crash?: CrashPoint;
  readonly deliveries?: number;
}

/**
 * Runs a watchlist of a platform with one tier twice. The first run finds all items. In the second
 * run, one item changed, one is delisted, one gets no answer and one is unchanged. Returns the
 * observable state after the second run, and the number of port calls.
 */
export async function oneTier({ tables, crash, deliveries = 1 }: Scenario) {
  const bench = await startRunBench({ tables, deliveries, batchIdsMax: 3 });
  const list = await bench.createList(["10001", "10002", "10003", "10004"]);
  bench.answers.product = () => ({ status: "ok", fields: standard(10) });
  await bench.run(list);
  bench.clock.set("2026-03-01T01:00:00Z");
  bench.answers.product = (id) => {
    if (id === "10001") return { status: "ok", fields: standard(12) };
    if (id === "10002") return { status: "not_found" };
    return id === "10003" ? { status: "unavailable" } : { status: "ok", fields: standard(10) };
  };
  await bench.run(list, crash);
  return { calls: bench.calls(), ...(await seen(bench, list)) };
}

export const oneTierEnds = {
  runs: [
    {
      runNumber: 2,
      kind: "sweep",
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
    expect.objectContaining({ runNumber: 1, kind: "baseline", status: "completed", credits: 4 }),
  ],
  events: [
    ["watchlist.run.completed", 0],
    ["watchlist.product.changed", 1],
    ["watchlist.product.delisted", 1],
    ["watchlist.run.completed", 0],
  ],
  items: [
    { id: "10001", state: "active", price: 12, lastReadStatus: "ok", failures: 0, owes: [] },
    {
      id: "10002",
      state: "delisted",
      price: 10,
      lastReadStatus: "not_found",
      failures: 0,
      owes: [],
    },
    {
      id: "10003",
      state: "active",
      price: 10,
      lastReadStatus: "unavailable",
      failures: 1,
      owes: ["check"],
    },
    { id: "10004", state: "active", price: 10, lastReadStatus: "ok", failures: 0, owes: [] },
  ],
  money: { balance: 4_993, held: 0, spent: 7 },
  list: {
    runningRun: null,
    lastRunStatus: "completed",
    itemCounts: { new: 0, active: 3, delisted: 1 },
    runCount: 2,
  },
};

export const asins = ["B000000001", "B000000002", "B000000003", "B000000004"];

/**
 * Runs a watchlist with the default pipeline of retailer_a twice. The first run reads all items at
 * full. In the second run, the pulse routes one item to lite, delists another item, and gets a
 * partial answer for a third item. Returns the observable state after the second run, and the
 * number of port calls.
 */
export async function defaultOfRetailerA({ tables, crash, deliveries = 1 }: Scenario) {
  const bench = await startRunBench({ tables, deliveries, batchIdsMax: 2 });
  const list = await bench.createList(asins, { platform: "retailer_a" });
  bench.answers.product = () => ({ status: "ok", fields: product(10, 10) });
  await bench.run(list);
  bench.clock.set("2026-03-01T01:00:00Z");
  bench.answers.product = (id) => {
    if (id === asins[1]) return { status: "ok", fields: product(9, 9) };
    if (id === asins[2]) return { status: "not_found" };
    return id === asins[3] ? { status: "partial" } : { status: "ok", fields: product(10, 10) };
  };
  await bench.run(list, crash);
  return { calls: bench.calls(), ...(await seen(bench, list)) };
}

export const retailerAEnds = {
  runs: [
    expect.objectContaining({
      runNumber: 2,
      kind: "sweep",
      credits: 2,
      stats: expect.objectContaining({
        entry: "pulse",
        changed: 1,
        delisted: 1,
        retryNextRun: 1,
        steps: {
          pulse: expect.objectContaining({ requested: 4, ok: 2, notFound: 1, credits: 1 }),
          lite: expect.objectContaining({ requested: 1, ok: 1, credits: 1 }),
        },
      }),
    }),
    expect.objectContaining({
      runNumber: 1,
      kind: "baseline",
      credits: 20,
      stats: expect.objectContaining({
        entry: "full",
        newItems: 4,
        steps: { full: expect.objectContaining({ requested: 4, ok: 4, credits: 20 }) },
      }),
    }),
  ],
  events: [
    ["watchlist.run.completed", 0],
    ["watchlist.product.changed", 1],
    ["watchlist.product.delisted", 1],
    ["watchlist.run.completed", 0],
  ],
  items: [
    { price: 10, owes: [] },
    { price: 9, owes: [] },
    { state: "delisted" },
    { price: 10, owes: ["pulse"] },
  ],
  money: { balance: 4_978, held: 0, spent: 22 },
  list: { itemCounts: { new: 0, active: 3, delisted: 1 }, runningRun: null },
};
