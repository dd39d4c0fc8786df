import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, it } from "vitest";
import { assert } from "../../../shared/base/assert.ts";
import { limits } from "../../../shared/base/limits.ts";
import { systemRandom } from "../../../shared/base/system.ts";
import type { Ledger } from "../../../shared/credits/ledger.ts";
import { resumeRun } from "../../../shared/runs/resume-run.ts";
import { claimDueRun } from "../../../shared/runs/claim-due-run.ts";
import { watchlistKeys } from "../../../shared/aws/table/table.ts";
import { currentSnapshot, type Item } from "../../../shared/watchlists/item.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import { presentRun } from "../../../shared/runs/present-run.ts";
import { type CrashPoint, type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();

const standard = (amount: number): Record<string, unknown> => ({
  price: { amount, currency: "USD" },
  availability: { inStock: true, message: "" },
  retailer_d: { state: "ADD_TO_CART", regularPrice: 20, purchasable: true },
});
const product = (price: number, newMinPrice: number): Record<string, unknown> => ({
  price: { amount: price, currency: "USD" },
  availability: { inStock: true, message: "" },
  retailer_a: { newCount: 2, newMinPrice, buybox: { offerListingId: "o1", isFba: true } },
});

const owedSteps = ({ owes }: Item): readonly string[] => owes.map(({ step }) => step);

/** What there is to see of a list in the end, ids of events aside. */
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
  readonly crash?: CrashPoint;
  readonly deliveries?: number;
}

/** One tier: all found; then one moved, one gone, one unanswered, one as before. */
async function oneTier({ crash, deliveries = 1 }: Scenario) {
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

const oneTierEnds = {
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

const asins = ["B000000001", "B000000002", "B000000003", "B000000004"];

/** retailer_a by its default: read in full; then the scan sends one item on, loses one, misses one. */
async function defaultOfRetailerA({ crash, deliveries = 1 }: Scenario) {
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

const retailerAEnds = {
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

describe.each([
  ["of one tier", oneTier, oneTierEnds],
  ["of the default pipeline of retailer_a", defaultOfRetailerA, retailerAEnds],
])("a run %s", (_, scenario, expected) => {
  it("reads, compares, routes, stores, charges and reports as specified", async () => {
    expect(await scenario({})).toMatchObject(expected);
  });

  it("has the same result when every message is delivered twice", async () => {
    expect(await scenario({ deliveries: 2 })).toMatchObject(expected);
  });
});

describe("a run whose process dies", () => {
  it("has the same result for every call at which it died, once its message is delivered again", async () => {
    const { calls } = await defaultOfRetailerA({});
    expect(calls).toBeGreaterThan(20);
    const points = Array.from({ length: calls }, (_unused, n) => n + 1).flatMap((call) =>
      (["before", "after"] as const).map((when) => ({ call, when })),
    );
    const worker = async (): Promise<void> => {
      for (let point = points.pop(); point !== undefined; point = points.pop()) {
        const end = await defaultOfRetailerA({ crash: point });
        expect(end, `${point.when} call ${point.call}`).toMatchObject(retailerAEnds);
      }
    };
    await Promise.all([worker(), worker(), worker(), worker()]);
  });
});

describe("a delisted item", () => {
  it("is not read again", async () => {
    const bench = await startRunBench({ tables });
    const list = await bench.createList(["10001", "10002"]);
    bench.answers.product = () => ({ status: "not_found" });
    await bench.run(list);
    const reads = bench.reads();
    bench.clock.set("2026-03-01T01:00:00Z");
    await bench.run(list);
    expect(bench.reads()).toBe(reads);
    expect(await bench.lastRun(list)).toMatchObject({ status: "completed", credits: 0 });
  });
});

describe("a watchlist whose account lacks credits for the first step", () => {
  it("skips the run without reading or charging, and pauses at the third skip in a row", async () => {
    const bench = await startRunBench({ tables, credits: 3 });
    const list = await bench.createList(["10001", "10002", "10003", "10004"]);
    bench.answers.product = () => ({ status: "ok", fields: standard(10) });
    for (let skip = 1; skip <= 3; skip += 1) {
      bench.clock.set(`2026-03-01T0${skip}:00:00Z`);
      await bench.run(list);
      expect(await bench.list(list)).toMatchObject({
        consecutiveSkips: skip,
        lastRunStatus: "insufficient_credits",
        status: skip === 3 ? "paused" : "active",
        pausedReason: skip === 3 ? "insufficient_credits" : null,
      });
    }
    expect(bench.reads()).toBe(0);
    expect(await bench.account()).toMatchObject({ balance: 3, held: 0, spent: 0 });
    expect((await bench.list(list))?.nextRunAt).toBeNull();
    const bodies = [...bench.published.values()].map(
      (event) => JSON.parse(event.body) as { data: unknown },
    );
    expect(bodies).toHaveLength(3);
    expect(bodies[2]?.data).toMatchObject({
      status: "insufficient_credits",
      error:
        "Step 'check' needed 4 credits for 4 items, but the balance was 3 credits. The run was " +
        "skipped: nothing was read or charged.",
      stats: { tracked: 4, steps: {} },
      watchlist: { status: "paused", paused_reason: "insufficient_credits", next_run_at: null },
    });
  });
});

describe("a later step that the balance does not cover", () => {
  const pipeline: Pipeline = {
    entry: "pulse",
    baseline: null,
    refresh: null,
    steps: [
      { id: "pulse", scraper: "retailer_a.pulse", routes: [{ when: "always", run: "full" }] },
      { id: "full", scraper: "retailer_a.full", routes: [{ when: "changed", notify: true }] },
    ],
  };
  it("defers its items to the next run, which reads them at that step", async () => {
    const bench = await startRunBench({ tables, credits: 7 });
    const list = await bench.createList(asins.slice(0, 3), { platform: "retailer_a", pipeline });
    bench.answers.product = () => ({ status: "ok", fields: product(10, 10) });
    await bench.run(list);
    expect(await bench.lastRun(list)).toMatchObject({
      status: "completed",
      credits: 1,
      stats: {
        deferred: 3,
        retryNextRun: 0,
        steps: { full: { requested: 0, credits: 0 }, pulse: { ok: 3, credits: 1 } },
      },
    });
    expect((await bench.items(list)).map(owedSteps)).toEqual([["full"], ["full"], ["full"]]);
    expect(await bench.account()).toMatchObject({ balance: 6, held: 0, spent: 1 });
    expect((await bench.list(list))?.consecutiveSkips).toBe(0);
  });
});

describe("a step that two processes plan at the same time", () => {
  it("holds no credits if one process defers it after the other reserved credits and died", async () => {
    const bench = await startRunBench({ tables, credits: 50 });
    const list = await bench.createList(asins.slice(0, 3), { platform: "retailer_a" });
    const schedules = { put: async () => {}, remove: async () => {} };
    const ledger: Ledger = {
      ...bench.ledger,
      async reserve(reservation) {
        await bench.ledger.reserve(reservation);
        return { outcome: "insufficient", balance: 0 };
      },
    };
    const now = bench.clock.now();
    const tick = { accountId: list.accountId, watchlistId: list.id, scheduledTime: now, now };
    const run = await claimDueRun(tick, { ...bench, schedules });
    assert(run !== undefined, "the list is due");
    await resumeRun(run, { ...bench, ledger, chance: systemRandom });
    expect(await bench.lastRun(list)).toMatchObject({ status: "insufficient_credits" });
    expect(await bench.account()).toMatchObject({ balance: 50, held: 0, spent: 0 });
  });
});

describe("the history of runs", () => {
  const { runHistoryMax } = limits;
  afterEach(() => void Object.assign(limits, { runHistoryMax }));

  it("keeps the newest runs, also when a run dies at any of its last calls", async () => {
    Object.assign(limits, { runHistoryMax: 3 });
    const bench = await startRunBench({ tables });
    const list = await bench.createList(["10001"]);
    bench.answers.product = () => ({ status: "ok", fields: standard(10) });
    await bench.run(list);
    const callsOfARun = bench.calls();
    for (let run = 2; run <= 7; run += 1) {
      bench.clock.set((await bench.list(list))?.nextRunAt ?? "");
      await bench.run(list, { call: callsOfARun - (run - 2), when: "after" });
    }
    const { runs } = await bench.runs.list(list.id, 100);
    expect(runs.map(({ runNumber }) => runNumber)).toEqual([7, 6, 5]);
    expect(bench.published.size).toBe(7);
  });
});

describe("a run without progress for 15 minutes", () => {
  it("fails: answers are charged, and the other items get an owed retry for the next run", async () => {
    const bench = await startRunBench({ tables, batchIdsMax: 2 });
    const list = await bench.createList(["10001", "10002", "10003", "10004"]);
    bench.answers.product = () => ({ status: "ok", fields: standard(10) });
    await bench.run(list);
    bench.clock.set("2026-03-01T01:00:00Z");
    await bench.runSome(list, 2);
    bench.loseMessages();
    const stuck = await bench.lastRun(list);
    expect(stuck).toMatchObject({ status: "running", phase: "reading" });
    bench.clock.set("2026-03-01T01:16:00Z");
    await bench.work([{ queue: "resume", run: stuck }]);
    expect(await bench.lastRun(list)).toMatchObject({
      status: "failed",
      phase: "done",
      credits: 2,
      error: expect.stringContaining("15 minutes"),
      stats: { retryNextRun: 2, steps: { check: { ok: 2, unavailable: 2, credits: 2 } } },
    });
    expect((await bench.items(list)).map(owedSteps)).toEqual([[], [], ["check"], ["check"]]);
    expect(await bench.account()).toMatchObject({ held: 0, spent: 6 });
    expect(await bench.list(list)).toMatchObject({ runningRun: null, lastRunStatus: "failed" });
    const last = [...bench.published.values()].at(-1);
    expect(JSON.parse(last?.body ?? "{}")).toMatchObject({
      type: "watchlist.run.completed",
      data: { status: "failed" },
    });

    bench.clock.set("2026-03-01T03:00:00Z");
    await bench.run(list);
    expect(await bench.lastRun(list)).toMatchObject({ status: "completed", credits: 4 });
  });
});

describe("a run that is abandoned between two steps", () => {
  it("stores an owed retry of the next step, so that the next run reads the items and reports the change", async () => {
    const bench = await startRunBench({ tables, batchIdsMax: 1 });
    const list = await bench.createList(asins.slice(0, 2), { platform: "retailer_a" });
    bench.answers.product = () => ({ status: "ok", fields: product(10, 10) });
    await bench.run(list);
    bench.clock.set("2026-03-01T01:00:00Z");
    bench.answers.product = () => ({ status: "ok", fields: product(8, 8) });
    await bench.runSome(list, 2);
    bench.loseMessages();
    const stuck = await bench.lastRun(list);
    bench.clock.set("2026-03-01T01:20:00Z");
    await bench.work([{ queue: "resume", run: stuck }]);
    expect(await bench.lastRun(list)).toMatchObject({ status: "failed", phase: "done" });
    expect((await bench.items(list)).map(owedSteps)).toEqual([["lite"], ["pulse"]]);
    bench.clock.set("2026-03-01T02:00:00Z");
    await bench.run(list);
    expect(await bench.lastRun(list)).toMatchObject({ status: "completed", stats: { changed: 2 } });
    const changed = [...bench.published.values()].filter(
      ({ type }) => type === "watchlist.product.changed",
    );
    expect(changed.map(({ items }) => items)).toEqual([2]);
  });
});

describe("a run whose results cannot be finalized", () => {
  it("fails after an hour, so that its watchlist can run again", async () => {
    const bench = await startRunBench({ tables });
    const list = await bench.createList(["10001"]);
    bench.answers.product = () => ({ status: "ok", fields: standard(10) });
    await bench.runSome(list, 2);
    bench.loseMessages();
    const folding = await bench.lastRun(list);
    expect(folding.phase).toBe("finishing");
    expect(presentRun(folding)).toMatchObject({ status: "running", finished_at: null });
    bench.clock.set("2026-03-01T01:01:00Z");
    await bench.work([{ queue: "resume", run: folding }]);
    expect(await bench.list(list)).toMatchObject({ runningRun: null, lastRunStatus: "failed" });
    expect(await bench.lastRun(list)).toMatchObject({ status: "failed", credits: 1 });
  });
});

describe("an item removed while its run is in progress", () => {
  it("is not read and not charged", async () => {
    const bench = await startRunBench({ tables, batchIdsMax: 1 });
    const list = await bench.createList(["10001", "10002"]);
    bench.answers.product = () => ({ status: "ok", fields: standard(10) });
    await bench.runSome(list, 1);
    const [page] = await Array.fromAsync(bench.pages.pages(list.id));
    if (page === undefined) throw new Error("A list has a page");
    await bench.pages.replace({ ...list, watchlistId: list.id }, [page], page.items.slice(0, 1));
    await bench.work([]);
    expect(await bench.lastRun(list)).toMatchObject({
      status: "completed",
      credits: 1,
      stats: { steps: { check: { requested: 1, ok: 1, skipped: 1 } } },
    });
  });
});

describe("a step whose ID is the name of an object property", () => {
  it.each(["constructor", "toString", "hasOwnProperty"])("%s: runs like any other", async (id) => {
    const bench = await startRunBench({ tables });
    const list = await bench.createList(["10001"], {
      pipeline: {
        entry: id,
        baseline: null,
        refresh: null,
        steps: [{ id, scraper: "retailer_d.standard", routes: [{ when: "ok", notify: true }] }],
      },
    });
    bench.answers.product = () => ({ status: "ok", fields: standard(10) });
    await bench.run(list);
    const run = await bench.lastRun(list);
    expect(run).toMatchObject({ status: "completed", phase: "done", credits: 1 });
    expect(Object.entries(run.stats.steps)).toEqual([[id, expect.objectContaining({ ok: 1 })]]);
  });
});

describe("a tick", () => {
  it("starts no run of a watchlist that is not due, and one run for a due time even if it is delivered repeatedly", async () => {
    const bench = await startRunBench({ tables });
    const list = await bench.createList(["10001"]);
    bench.answers.product = () => ({ status: "ok", fields: standard(10) });
    await bench.run(list);
    const due = {
      accountId: list.accountId,
      watchlistId: list.id,
      scheduledTime: list.nextRunAt ?? "",
    };
    await bench.work([
      { queue: "due", due },
      { queue: "due", due },
    ]);
    expect((await bench.runs.list(list.id, 10)).runs).toHaveLength(1);
  });

  it("during a run in progress is skipped and counted on the watchlist", async () => {
    const bench = await startRunBench({ tables });
    const list = await bench.createList(["10001"]);
    bench.answers.product = () => ({ status: "ok", fields: standard(10) });
    await bench.runSome(list, 1);
    bench.loseMessages();
    bench.clock.set("2026-03-01T01:00:00Z");
    await bench.run(list);
    expect(await bench.list(list)).toMatchObject({ overlaps: 1, runCount: 1, runningRun: 1 });
  });
});

describe("the run history", () => {
  it("keeps the newest 500 runs", async () => {
    const bench = await startRunBench({ tables });
    const list = await bench.createList(["10001"]);
    bench.answers.product = () => ({ status: "ok", fields: standard(10) });
    await bench.run(list);
    await bench.table.client.send(
      new UpdateCommand({
        TableName: bench.table.name,
        Key: watchlistKeys.list(list.accountId, list.id),
        UpdateExpression: "SET run_count = :count",
        ExpressionAttributeValues: { ":count": 499 },
      }),
    );
    for (const [time, numbers] of [
      ["01", [500, 1]],
      ["02", [501, 500]],
    ] as const) {
      bench.clock.set(`2026-03-01T${time}:00:00Z`);
      await bench.run(list);
      const { runs } = await bench.runs.list(list.id, 100);
      expect(runs.map(({ runNumber }) => runNumber)).toEqual(numbers);
    }
  });
});
