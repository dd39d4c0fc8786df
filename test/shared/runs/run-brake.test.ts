/** Tests how the brake holds a run, and how the hold ends by release, discard or expiry. */
import { beforeEach, describe, expect, it } from "vitest";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import { changeItems } from "../../../shared/watchlists/change-items.ts";
import { decideHold, type HoldDecision } from "../../../shared/runs/decide-hold.ts";
import type { Run } from "../../../shared/runs/run.ts";
import { endMetrics } from "../../../shared/runs/run-metrics.ts";
import { runNow } from "../../../shared/runs/run-now.ts";
import type { Answer } from "../../../shared/scrapers/scraper.ts";
import type { Item } from "../../../shared/watchlists/item.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
const ids = ["10001", "10002", "10003", "10004"];
const brake = { maxChangedPercent: 50, minItems: 4 };
const pipeline: Pipeline = {
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [
    {
      id: "check",
      scraper: "retailer_d.standard",
      routes: [{ when: "changed", field: "price", notify: true, cooldown: "6h" }],
    },
  ],
};
const released: HoldDecision = { status: "released", reason: null };
const discarded: HoldDecision = { status: "discarded", reason: "The source sent wrong prices." };
const always = { since: "0000", until: "9999" };

type Found = Partial<Answer> & Pick<Answer, "status">;
const priced = (amount: number): Found => ({
  status: "ok",
  fields: {
    price: { amount, currency: "USD" },
    retailer_d: { state: "ADD_TO_CART", purchasable: true },
  },
});

/** Creates a watchlist whose four items were read once at a price of 10. */
async function readOnce(bench: RunBench, overrides: Partial<Watchlist> = {}): Promise<Watchlist> {
  const list = await bench.createList(ids, { pipeline, brake, ...overrides });
  bench.answers.product = () => priced(10);
  await bench.run(list);
  bench.published.clear();
  bench.clock.set("2026-03-01T01:00:00Z");
  return list;
}

/** Runs the watchlist after the given number of its items changed to a price of 1,000. */
async function runChanged(bench: RunBench, list: Watchlist, changed: number): Promise<Run> {
  bench.answers.product = (id) => priced(ids.indexOf(id) < changed ? 1_000 : 10);
  await bench.run(list);
  return bench.lastRun(list);
}

const decide = (bench: RunBench, run: Run, decision: HoldDecision): Promise<Run> =>
  decideHold(run, decision, { ...bench, warn: () => {} });

/** Decides about the held run and drains the queues. */
async function decideAndWork(bench: RunBench, run: Run, decision: HoldDecision): Promise<void> {
  await decide(bench, run, decision);
  await bench.work([]);
}

const typesOf = (bench: RunBench): string[] =>
  [...bench.published.values()].map(({ type }) => type);
const bodiesOf = (bench: RunBench) =>
  [...bench.published.values()].map(({ body }) => JSON.parse(body));
const withoutRevision = (items: readonly Item[]) => items.map((item) => ({ ...item, revision: 0 }));
const pricesOf = async (bench: RunBench, list: Watchlist) =>
  (await bench.items(list)).map(({ readings }) => readings.standard?.["price"]);
const changesIn = async (bench: RunBench, list: Watchlist): Promise<number[]> => {
  const runs = bench.history.runs({ watchlistId: list.id, ...always, order: "oldest_first" });
  return (await Array.fromAsync(runs)).map(({ runNumber }) => runNumber);
};

let bench: RunBench;
beforeEach(async () => {
  bench = await startRunBench({ tables });
});

describe("a run that exceeds the limit of its brake", () => {
  it("is held, publishes only a notice, and prevents further runs of the watchlist", async () => {
    const list = await readOnce(bench);
    const run = await runChanged(bench, list, 3);

    expect(run).toMatchObject({ runNumber: 2, phase: "held", status: "completed" });
    expect(run.hold).toEqual({
      status: "held",
      changedItems: 3,
      readItems: 4,
      decidedAt: null,
      reason: null,
    });
    expect(bodiesOf(bench)).toMatchObject([
      {
        type: "watchlist.run.completed",
        data: {
          id: run.id,
          status: "held",
          brake: { status: "held", changed_items: 3, read_items: 4, decided_at: null },
          events: { "watchlist.run.completed": 1 },
        },
      },
    ]);
    expect(await changesIn(bench, list)).toEqual([1]);
    expect(await bench.list(list)).toMatchObject({ runningRun: 2, lastRunStatus: "held" });

    bench.clock.set("2026-03-01T02:00:00Z");
    await bench.run(list);
    expect((await bench.lastRun(list)).runNumber).toBe(2);
    expect(await bench.list(list)).toMatchObject({ overlaps: 1 });
    const held = await bench.list(list);
    await expect(
      runNow(held ?? list, bench.clock.now(), {
        ...bench,
        schedules: { put: async () => {}, remove: async () => {} },
        warn: () => {},
      }),
    ).rejects.toThrow("Run 2 of this watchlist is held by its brake");
  });

  it("is charged for its reads even if a client discards the run", async () => {
    const list = await readOnce(bench);
    const before = (await bench.account()).balance;
    const run = await runChanged(bench, list, 4);
    await decideAndWork(bench, run, discarded);

    expect(run.credits).toBeGreaterThan(0);
    expect((await bench.account()).balance).toBe(before - run.credits);
  });

  it("counts delisted items as changed, but not new items that the first read did not find", async () => {
    const list = await readOnce(bench);
    bench.answers.product = (id) => (id < "10004" ? { status: "not_found" } : priced(10));
    await bench.run(list);
    expect((await bench.lastRun(list)).hold).toMatchObject({ changedItems: 3, readItems: 4 });

    const other = await readOnce(bench);
    const add = {
      add: ["10005", "10006", "10007", "10008", "10009"],
      remove: [],
      labels: new Map(),
    };
    const watchlist = (await bench.list(other)) ?? other;
    await changeItems({ watchlist, change: add, now: bench.clock.now() }, bench);
    bench.answers.product = (id) => (id > "10004" ? { status: "not_found" } : priced(10));
    await bench.run(other);
    expect(await bench.lastRun(other)).toMatchObject({ phase: "done", stats: { delisted: 5 } });
  });

  it("does not count items at their first read toward its percentage of changed items", async () => {
    const list = await readOnce(bench);
    const add = { add: ["10005", "10006", "10007"], remove: [], labels: new Map() };
    const watchlist = (await bench.list(list)) ?? list;
    await changeItems({ watchlist, change: add, now: bench.clock.now() }, bench);
    // Three of the four known items change: 75%, although three of seven are only 43%.
    bench.answers.product = (id) => priced(id < "10004" ? 20 : 10);
    await bench.run(list);

    expect((await bench.lastRun(list)).hold).toMatchObject({ changedItems: 3, readItems: 4 });
  });

  it("does not count items without an answer toward its percentage of changed items", async () => {
    const list = await readOnce(bench, { brake: { maxChangedPercent: 50, minItems: 3 } });
    bench.answers.product = (id) => (id === "10004" ? { status: "unavailable" } : priced(20));
    await bench.run(list);

    expect((await bench.lastRun(list)).hold).toMatchObject({ changedItems: 3, readItems: 3 });
  });
});

describe("a run that does not exceed a brake", () => {
  it.each([
    ["exactly the allowed share of items changed", brake, 2],
    ["fewer items were read than 'min_items'", { ...brake, minItems: 5 }, 4],
    ["the watchlist has no brake", null, 4],
    ["the brake is 100 percent", { ...brake, maxChangedPercent: 100 }, 4],
  ])("is not held if %s", async (_, setting, changed) => {
    const list = await readOnce(bench, { brake: setting });
    const run = await runChanged(bench, list, changed);

    expect(run.hold).toBeUndefined();
    expect(run.phase).toBe("done");
    expect(typesOf(bench)).toEqual(["watchlist.product.changed", "watchlist.run.completed"]);
  });

  it("is not held if the run is the first one of the watchlist", async () => {
    const list = await bench.createList(ids, { pipeline, brake });
    bench.answers.product = () => ({ status: "not_found" });
    await bench.run(list);

    expect(await bench.lastRun(list)).toMatchObject({ phase: "done", stats: { delisted: 4 } });
  });
});

describe("the release of a held run", () => {
  it("publishes the events and the history of the run once, and allows further runs", async () => {
    const list = await readOnce(bench);
    const run = await runChanged(bench, list, 3);
    bench.clock.set("2026-03-01T05:00:00Z");
    await decideAndWork(bench, run, released);
    await decideAndWork(bench, run, released);

    const [, changed, completed] = bodiesOf(bench);
    expect(bench.published.size).toBe(3);
    expect(changed).toMatchObject({
      type: "watchlist.product.changed",
      created_at: "2026-03-01T05:00:00.000Z",
      data: { run_id: run.id, changes: [{ id: "10001" }, { id: "10002" }, { id: "10003" }] },
    });
    expect(completed).toMatchObject({
      type: "watchlist.run.completed",
      data: {
        status: "completed",
        brake: { status: "released", decided_at: "2026-03-01T05:00:00.000Z", expires_at: null },
        events: { "watchlist.product.changed": 1, "watchlist.run.completed": 1 },
      },
    });
    expect(await changesIn(bench, list)).toEqual([1, 2]);
    expect(await bench.list(list)).toMatchObject({ runningRun: null, lastRunStatus: "completed" });
    bench.clock.set("2026-03-01T06:00:00Z");
    await bench.run(list);
    expect((await bench.lastRun(list)).runNumber).toBe(3);
  });
});

describe("the discard of a held run", () => {
  it("restores the items and their route states, and publishes no events about items", async () => {
    const list = await readOnce(bench);
    const first = await runChanged(bench, list, 1);
    expect(first.phase).toBe("done");
    bench.published.clear();
    const before = await bench.items(list);
    expect(before[0]?.routeStates).toBeDefined();
    bench.clock.set("2026-03-01T08:00:00Z");
    bench.answers.product = (id) => (id === "10002" ? { status: "not_found" } : priced(3_000));
    await bench.run(list);
    const run = await bench.lastRun(list);
    expect(await pricesOf(bench, list)).toEqual([3_000, 10, 3_000, 3_000]);
    await decideAndWork(bench, run, discarded);

    const after = await bench.items(list);
    expect(withoutRevision(after)).toEqual(withoutRevision(before));
    expect(await bench.list(list)).toMatchObject({
      runningRun: null,
      lastRunStatus: "completed",
      itemCounts: { new: 0, active: 4, delisted: 0 },
    });
    expect(bodiesOf(bench)).toMatchObject([
      { data: { status: "held" } },
      { data: { status: "completed", brake: { status: "discarded", reason: discarded.reason } } },
    ]);
    expect(await changesIn(bench, list)).toEqual([1, 2]);
    bench.clock.set("2026-03-01T09:00:00Z");
    bench.answers.product = (id) => priced(id === "10001" ? 1_000 : 10);
    await bench.run(list);
    expect((await bench.lastRun(list)).stats).toMatchObject({ changed: 0, delisted: 0 });
  });

  it("restores items that several steps read", async () => {
    const detailed: Pipeline = {
      ...pipeline,
      steps: [
        {
          id: "check",
          scraper: "retailer_d.standard",
          routes: [{ when: "changed", field: "price", run: "detail" }],
        },
        {
          id: "detail",
          scraper: "retailer_d.standard",
          routes: [{ when: "changed", notify: true }],
        },
      ],
    };
    const list = await readOnce(bench, { pipeline: detailed });
    const before = await bench.items(list);
    const run = await runChanged(bench, list, 4);
    await decideAndWork(bench, run, discarded);

    expect(withoutRevision(await bench.items(list))).toEqual(withoutRevision(before));
  });

  it("does not restore items that were removed or added again while the run was held", async () => {
    const list = await readOnce(bench);
    const run = await runChanged(bench, list, 4);
    bench.clock.set("2026-03-01T03:00:00Z");
    const change = async (add: string[], remove: string[]) => {
      const watchlist = (await bench.list(list)) ?? list;
      await changeItems(
        { watchlist, change: { add, remove, labels: new Map() }, now: bench.clock.now() },
        bench,
      );
    };
    await change([], ["10001", "10002"]);
    await change(["10002", "10005"], []);
    await decideAndWork(bench, run, discarded);

    const items = await bench.items(list);
    expect(items.map(({ id, state }) => [id, state])).toEqual([
      ["10002", "new"],
      ["10003", "active"],
      ["10004", "active"],
      ["10005", "new"],
    ]);
    expect(await pricesOf(bench, list)).toEqual([undefined, 10, 10, undefined]);
  });

  it("happens automatically 7 days after the end of the run without a decision of the client", async () => {
    const list = await readOnce(bench);
    const run = await runChanged(bench, list, 4);
    const resume = { queue: "resume" as const, run };
    bench.clock.set("2026-03-08T00:59:59Z");
    await bench.work([resume]);
    expect((await bench.lastRun(list)).phase).toBe("held");
    bench.clock.set("2026-03-08T01:00:00Z");
    await bench.work([resume]);

    expect(await bench.lastRun(list)).toMatchObject({
      phase: "done",
      hold: {
        status: "discarded",
        reason: "The run was neither released nor discarded within 7 days.",
      },
    });
    expect(await pricesOf(bench, list)).toEqual([10, 10, 10, 10]);
  });
});

describe("a decision to release or to discard a run", () => {
  it("is refused after the opposite decision, and has no effect if the same decision was made before", async () => {
    const list = await readOnce(bench);
    const run = await runChanged(bench, list, 4);
    const [one, other] = await Promise.allSettled([
      decide(bench, run, released),
      decide(bench, run, discarded),
    ]);
    expect([one.status, other.status].toSorted()).toEqual(["fulfilled", "rejected"]);
    const winner = one.status === "fulfilled" ? released : discarded;
    const loser = winner === released ? discarded : released;

    expect((await decide(bench, run, winner)).hold?.status).toBe(winner.status);
    await expect(decide(bench, run, loser)).rejects.toThrow(`Run 2 was ${winner.status} at`);
    await bench.work([]);
    await expect(decide(bench, run, loser)).rejects.toThrow(`Run 2 was ${winner.status} at`);
  });

  it("is refused for a run that is not held or does not exist", async () => {
    const list = await readOnce(bench);
    const run = await bench.lastRun(list);

    await expect(decide(bench, run, released)).rejects.toThrow("Run 1 is not held by a brake");
    await expect(decide(bench, { ...run, runNumber: 9 }, released)).rejects.toThrow(
      "This watchlist has no run 9.",
    );
  });

  it("is refused if the watchlist was deleted, and the purge deletes the held run", async () => {
    const list = await readOnce(bench);
    const run = await runChanged(bench, list, 4);
    const { accountId } = list;
    await bench.watchlists.remove({
      accountId,
      watchlistId: list.id,
      purgeAt: bench.clock.now(),
    });

    await expect(decide(bench, run, released)).rejects.toThrow("This watchlist has no run");
    expect((await bench.lastRun(list)).phase).toBe("held");
  });
});

/**
 * Runs whose source answers in another shape. Too few items change to reach the brake's limit, so
 * only the changed shape can hold a run.
 */
describe("a run in which the shape of the source's answers changed", () => {
  const many = Array.from({ length: 100 }, (_, n) => String(20_000 + n));
  const highBrake = { maxChangedPercent: 95, minItems: 50 };
  const wrong = 30;

  const manyRead = async (overrides: Partial<Watchlist> = {}): Promise<Watchlist> => {
    const list = await bench.createList(many, { pipeline, brake: highBrake, ...overrides });
    bench.answers.product = () => priced(10);
    await bench.run(list);
    bench.published.clear();
    return list;
  };

  const runAgain = async (list: Watchlist, answer: (id: string) => Found): Promise<Run> => {
    bench.clock.advance(60 * 60 * 1_000);
    bench.answers.product = answer;
    await bench.run(list);
    return bench.lastRun(list);
  };

  /**
   * Returns an item at a price of 1,000, which was 10 before. Only the first thirty items have this
   * price.
   */
  const jumped = (id: string): Found => priced(many.indexOf(id) < wrong ? 1_000 : 10);
  /** Returns an item without the field `state`, which all items had before. */
  const stateless = (): Found => ({
    status: "ok",
    fields: { price: { amount: 10, currency: "USD" }, retailer_d: { purchasable: true } },
  });

  it("is held if prices jump together, even if few items changed", async () => {
    const run = await runAgain(await manyRead(), jumped);

    expect(run.phase).toBe("held");
    expect(run.shape).toEqual({ priceJump: { factor: 100, items: wrong }, missingFields: [] });
    expect(bodiesOf(bench)).toMatchObject([
      {
        data: {
          status: "held",
          brake: { cause: "source_shape", changed_items: wrong, read_items: 100 },
          source_shape: {
            price_factor: 100,
            price_items: wrong,
            lost_fields: [],
            incomplete_items: null,
          },
        },
      },
    ]);
  });

  it("sends its events if the watchlist has no brake, and is counted for the alarm", async () => {
    const run = await runAgain(await manyRead({ brake: null }), jumped);

    expect(run).toMatchObject({ phase: "done", shape: { priceJump: { factor: 100 } } });
    expect(run.hold).toBeUndefined();
    expect(endMetrics(run).values).toMatchObject({ runs_held: 0, runs_shape_changed: 1 });
    expect(typesOf(bench)).toContain("watchlist.product.changed");
  });

  it("is held for a lost field, and after the release of the run no later run is held for the same field", async () => {
    const list = await manyRead();
    const run = await runAgain(list, stateless);
    expect(run).toMatchObject({ phase: "held", shape: { lostFields: ["standard.state"] } });
    await decideAndWork(bench, run, released);
    expect((await bench.list(list))?.missingFields).toEqual(["standard.state"]);

    const later = await runAgain(list, stateless);
    expect(later.phase).toBe("done");
    expect(later.shape).toBeUndefined();

    expect((await runAgain(list, () => priced(10))).phase).toBe("done");
    expect((await bench.list(list))?.missingFields).toEqual([]);
    expect((await runAgain(list, stateless)).phase).toBe("held");
  });

  it("is held for a lost field again after a discard", async () => {
    const list = await manyRead();
    await decideAndWork(bench, await runAgain(list, stateless), discarded);

    expect((await bench.list(list))?.missingFields).toBeUndefined();
    expect((await runAgain(list, stateless)).phase).toBe("held");
  });

  it("is not held if items become incomplete, but is counted for the alarm", async () => {
    const list = await manyRead();
    const first = await runAgain(list, () => ({ status: "partial" }));
    expect(first).toMatchObject({ phase: "done", shape: { incompleteItems: 100 } });
    expect((await runAgain(list, () => ({ status: "partial" }))).shape).toBeUndefined();
  });
});
