/** Tests the rows of the specification's table "States and transitions" that runs cause. */
import { describe, expect, it } from "vitest";
import type { Item } from "../../../shared/watchlists/item.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { finishRun } from "../../../shared/runs/finish-run.ts";
import { runNow } from "../../../shared/runs/run-now.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();

const fields = (amount: number): Record<string, unknown> => ({
  price: { amount, currency: "USD" },
  availability: { inStock: true, message: "" },
  retailer_d: { state: "ADD_TO_CART", regularPrice: 20, purchasable: true },
});
const found =
  (amount: number): RunBench["answers"]["product"] =>
  () => ({
    status: "ok",
    fields: fields(amount),
  });

/** Creates a watchlist of one item that has run once, an hour ago. */
async function afterFirstRun(): Promise<{ bench: RunBench; list: Watchlist }> {
  const bench = await startRunBench({ tables });
  const list = await bench.createList(["10001"]);
  bench.answers.product = found(10);
  await bench.run(list);
  bench.clock.set("2026-03-01T01:00:00Z");
  return { bench, list };
}

const onlyItem = async (bench: RunBench, list: Watchlist): Promise<Item | undefined> =>
  (await bench.items(list))[0];
const types = (bench: RunBench): string[] => [...bench.published.values()].map(({ type }) => type);
const bodies = (bench: RunBench): { type: string; data: Record<string, unknown> }[] =>
  [...bench.published.values()].map(({ body }) => JSON.parse(body) as never);

describe("a new watchlist", () => {
  it("starts its first run immediately, and the run reads every item at the baseline step without reporting changes", async () => {
    const { bench, list } = await afterFirstRun();
    expect(await bench.lastRun(list)).toMatchObject({
      runNumber: 1,
      trigger: "initial",
      kind: "baseline",
      status: "completed",
      stats: { tracked: 1, newItems: 1, entry: "check", changed: 0 },
    });
    expect(types(bench)).toEqual(["watchlist.run.completed"]);
  });
});

describe('an item in the state "new" after a read with the status "ok"', () => {
  it("is active, is counted as active, and has the values of the read as its baseline snapshot", async () => {
    const { bench, list } = await afterFirstRun();
    expect(await onlyItem(bench, list)).toMatchObject({
      state: "active",
      readings: { standard: { price: 10 } },
      lastChange: null,
    });
    expect((await bench.list(list))?.itemCounts).toEqual({ new: 0, active: 1, delisted: 0 });
  });
});

describe('an item in the state "active" after a read with the status "not_found"', () => {
  it("is delisted, is reported once, and is not read again", async () => {
    const { bench, list } = await afterFirstRun();
    bench.answers.product = () => ({ status: "not_found" });
    await bench.run(list);
    expect(await onlyItem(bench, list)).toMatchObject({ state: "delisted" });
    const reads = bench.reads();
    bench.clock.set("2026-03-01T02:00:00Z");
    await bench.run(list);
    expect(bench.reads()).toBe(reads);
    expect(types(bench).filter((type) => type === "watchlist.product.delisted")).toHaveLength(1);
    expect((await bench.list(list))?.itemCounts).toEqual({ new: 0, active: 0, delisted: 1 });
  });
});

describe('an item in the state "active" with a change of a tracked field', () => {
  it("stays active, and a route that notifies reports the change", async () => {
    const { bench, list } = await afterFirstRun();
    bench.answers.product = found(12);
    await bench.run(list);
    const changes = { price: { before: 10, after: 12 } };
    expect((await onlyItem(bench, list))?.lastChange).toMatchObject({ changes, runNumber: 2 });
    expect(
      bodies(bench).find(({ type }) => type === "watchlist.product.changed")?.data,
    ).toMatchObject({ changes: [{ id: "10001", changes }], part: 1, parts: 1 });
  });

  it("stays active, and the change is recorded but not reported if no route notifies", async () => {
    const bench = await startRunBench({ tables });
    const list = await bench.createList(["10001"], {
      pipeline: {
        entry: "check",
        baseline: null,
        refresh: null,
        steps: [{ id: "check", scraper: "retailer_d.standard", routes: [] }],
      },
    });
    bench.answers.product = found(10);
    await bench.run(list);
    bench.clock.set("2026-03-01T01:00:00Z");
    bench.answers.product = found(12);
    await bench.run(list);
    expect((await onlyItem(bench, list))?.lastChange).not.toBeNull();
    expect(types(bench)).toEqual(["watchlist.run.completed", "watchlist.run.completed"]);
  });
});

describe.each(["partial", "unavailable"] as const)(
  'an item in the state "active" after a read with the status "%s"',
  (status) => {
    it("stays active, is neither charged nor reported, and is read again by the next run", async () => {
      const { bench, list } = await afterFirstRun();
      bench.answers.product = () => ({ status, fields: fields(99) });
      await bench.run(list);
      expect(await bench.lastRun(list)).toMatchObject({ credits: 0, stats: { retryNextRun: 1 } });
      expect(await onlyItem(bench, list)).toMatchObject({
        state: "active",
        readings: { standard: { price: 10 } },
      });
      bench.clock.set("2026-03-01T02:00:00Z");
      bench.answers.product = found(10);
      await bench.run(list);
      expect(await bench.lastRun(list)).toMatchObject({
        credits: 1,
        stats: { retryNextRun: 0, steps: { check: { requested: 1, ok: 1 } } },
      });
      expect(types(bench)).toEqual(Array(3).fill("watchlist.run.completed"));
    });
  },
);

describe("a scheduled run that cannot reserve credits for its first step", () => {
  it('is skipped without a read or a charge, and its run.completed event has the status "insufficient_credits"', async () => {
    const bench = await startRunBench({ tables, credits: 0 });
    const list = await bench.createList(["10001"]);
    await bench.run(list);
    expect(await bench.lastRun(list)).toMatchObject({ status: "insufficient_credits", credits: 0 });
    expect(await bench.list(list)).toMatchObject({ consecutiveSkips: 1, status: "active" });
    expect(bench.reads()).toBe(0);
    expect(bodies(bench)).toEqual([
      expect.objectContaining({
        type: "watchlist.run.completed",
        data: expect.objectContaining({ status: "insufficient_credits" }),
      }),
    ]);
  });

  it("is counted as the first skip in a row if the previous run completed", async () => {
    const bench = await startRunBench({ tables, credits: 1 });
    const list = await bench.createList(["10001"]);
    bench.answers.product = () => ({ status: "unavailable" });
    await bench.run(list);
    bench.answers.product = found(10);
    bench.clock.set("2026-03-01T01:00:00Z");
    await bench.run(list);
    bench.clock.set("2026-03-01T02:00:00Z");
    await bench.run(list);
    expect(await bench.list(list)).toMatchObject({ consecutiveSkips: 1, runCount: 3 });
  });

  it("pauses the watchlist without a next run if the skip is the third one in a row", async () => {
    const bench = await startRunBench({ tables, credits: 0 });
    const list = await bench.createList(["10001"]);
    for (const hour of ["00", "01", "02"]) {
      bench.clock.set(`2026-03-01T${hour}:00:00Z`);
      await bench.run(list);
    }
    expect(await bench.list(list)).toMatchObject({
      status: "paused",
      pausedReason: "insufficient_credits",
      nextRunAt: null,
    });
  });

  it("leaves the watchlist active with a count of one skip if a client resumes the watchlist during the third skip", async () => {
    const bench = await startRunBench({ tables, credits: 0 });
    const list = await bench.createList(["10001"]);
    for (const hour of ["00", "01"]) {
      bench.clock.set(`2026-03-01T${hour}:00:00Z`);
      await bench.run(list);
    }
    bench.clock.set("2026-03-01T02:00:00Z");
    await bench.runSome(list, 1);
    const resume = async (before: Watchlist): Promise<void> => {
      const after = { ...before, consecutiveSkips: 0, revision: before.revision + 1 };
      expect(await bench.watchlists.update({ before, after })).toBeDefined();
    };
    let looks = 0;
    const get: RunBench["watchlists"]["get"] = async (...wanted) => {
      const seen = await bench.watchlists.get(...wanted);
      looks += 1;
      if (looks === 1 && seen !== undefined) await resume(seen);
      return seen;
    };
    await finishRun(await bench.lastRun(list), {
      ...bench,
      watchlists: { ...bench.watchlists, get },
      publisher: { publish: async () => {} },
    });
    expect(looks).toBe(2);
    expect(await bench.list(list)).toMatchObject({
      status: "active",
      consecutiveSkips: 1,
      runningRun: null,
      nextRunAt: "2026-03-01T03:00:00.000Z",
    });
  });
});

describe("a run that a client starts", () => {
  const restart = (bench: RunBench, list: Watchlist) =>
    runNow(list, bench.clock.now(), {
      ...bench,
      schedules: { put: async () => {}, remove: async () => {} },
      warn: (message) => {
        throw new Error(message);
      },
    });

  it("is accepted if no run is in progress, and the next scheduled run is due one interval later", async () => {
    const { bench, list } = await afterFirstRun();
    bench.clock.set("2026-03-01T00:30:00Z");
    const current = (await bench.list(list)) ?? list;
    expect(await restart(bench, current)).toMatchObject({ trigger: "manual", status: "running" });
    await bench.work([]);
    expect(await bench.lastRun(list)).toMatchObject({ status: "completed", runNumber: 2 });
    expect((await bench.list(list))?.nextRunAt).toBe("2026-03-01T01:30:00.000Z");
  });

  it("is accepted for a paused watchlist, and the watchlist stays paused", async () => {
    const { bench, list } = await afterFirstRun();
    const before = (await bench.list(list)) ?? list;
    const after = { ...before, status: "paused", pausedReason: "user", nextRunAt: null } as const;
    await bench.watchlists.update({ before, after: { ...after, revision: before.revision + 1 } });
    await restart(bench, (await bench.list(list)) ?? list);
    await bench.work([]);
    expect(await bench.lastRun(list)).toMatchObject({ status: "completed", runNumber: 2 });
    expect(await bench.list(list)).toMatchObject({ status: "paused", nextRunAt: null });
  });

  it("is refused while another run is in progress, and the other run continues", async () => {
    const { bench, list } = await afterFirstRun();
    await bench.runSome(list, 1);
    const again = restart(bench, (await bench.list(list)) ?? list);
    await expect(again).rejects.toThrow("A run of this watchlist is in progress.");
    expect((await bench.list(list))?.runCount).toBe(2);
  });
});

describe("a deleted watchlist with a run in progress", () => {
  it("finishes and charges the run, but publishes no events", async () => {
    const { bench, list } = await afterFirstRun();
    bench.answers.product = found(12);
    await bench.runSome(list, 1);
    const running = await bench.lastRun(list);
    const { accountId, id: watchlistId } = list;
    const purgeAt = new Date("2026-03-01T01:01:00Z");
    await bench.watchlists.remove({ accountId, watchlistId, purgeAt });
    await bench.work([]);
    expect(await bench.runs.get(running)).toMatchObject({ phase: "done", status: "completed" });
    expect(types(bench)).toEqual(["watchlist.run.completed"]);
    expect(await bench.account()).toMatchObject({ held: 0, spent: 2 });
  });
});

describe("the event watchlist.run.completed of a run that ends without an error", () => {
  it('has the status "completed", the start and end times of the run, and the watchlist\'s status and next due time', async () => {
    const { bench, list } = await afterFirstRun();
    expect(bodies(bench).at(-1)?.data).toMatchObject({
      object: "watchlist_run",
      status: "completed",
      error: null,
      started_at: "2026-03-01T00:00:00.000Z",
      finished_at: "2026-03-01T00:00:00.000Z",
      watchlist: { id: list.id, status: "active", next_run_at: "2026-03-01T01:00:00.000Z" },
    });
    expect(await bench.list(list)).toMatchObject({ lastRunStatus: "completed", runningRun: null });
  });
});
