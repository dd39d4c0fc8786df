import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { describe, expect, it } from "vitest";
import { watchlistKeys } from "../../../shared/aws/table/table.ts";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import { runNow } from "../../../shared/runs/run-now.ts";
import { claimDueRun } from "../../../shared/runs/claim-due-run.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { type RunBench, startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();

const product = (amount: number): Record<string, unknown> => ({
  price: { amount, currency: "USD" },
  retailer_a: { newCount: 1, newMinPrice: 10, buybox: null },
});

/**
 * A watchlist of two items on the default pipeline of retailer_a. It has run once. Every third run
 * is a refresh.
 */
class World {
  readonly bench: RunBench;
  readonly list: Watchlist;

  private constructor(bench: RunBench, list: Watchlist) {
    this.bench = bench;
    this.list = list;
  }

  static async open(overrides: Partial<Watchlist> = {}): Promise<World> {
    const bench = await startRunBench({ tables });
    const wanted = { platform: "retailer_a", refreshEveryRuns: 3, ...overrides } as const;
    const list = await bench.createList(["B000000001", "B000000002"], wanted);
    bench.answers.product = () => ({ status: "ok", fields: product(10) });
    await bench.run(list);
    return new World(bench, list);
  }

  now(): Promise<Watchlist> {
    return this.bench.list(this.list).then((found) => found ?? this.list);
  }

  /**
   * Runs the watchlist an hour later. Returns the kind of the run, its entry step and its status.
   * `unpaid`: the balance does not cover the run.
   */
  async next(how: "paid" | "unpaid" | "manual" = "paid"): Promise<string> {
    const { bench, list } = this;
    bench.clock.advance(3_600_000);
    const { balance, id: accountId } = await bench.account();
    const now = bench.clock.now();
    const hold = { accountId, holdId: `elsewhere-${now.toISOString()}`, now };
    const expiresAt = new Date(now.getTime() + 86_400_000);
    const source = { requestId: hold.holdId };
    const credits = how === "unpaid" ? balance : 0;
    await bench.ledger.reserve({ ...hold, credits, slot: false, source, expiresAt });
    if (how === "manual") await this.runByHand();
    else await bench.run(list);
    await bench.ledger.settle({ ...hold, credits: 0, succeeded: true });
    const { kind, stats, status } = await bench.lastRun(list);
    return `${kind} ${stats.entry} ${status}`;
  }

  private async runByHand(): Promise<void> {
    const { bench } = this;
    const schedules = { put: async () => {}, remove: async () => {} };
    const warn = (): void => {};
    const ports = { ...bench, schedules, warn };
    await runNow(await this.now(), bench.clock.now(), ports);
    await bench.work([]);
  }

  async patch(settings: Partial<Watchlist>): Promise<void> {
    const before = await this.now();
    const after = { ...before, ...settings, revision: before.revision + 1 };
    await this.bench.watchlists.update({ before, after });
  }
}

const [sweep, refresh] = ["sweep pulse completed", "refresh lite completed"];
const skipped = "refresh lite insufficient_credits";

describe("a refresh that was skipped for lack of credits", () => {
  it("is made by the next run with enough credits, and later refreshes are made at their usual run numbers", async () => {
    const world = await World.open();
    expect(await world.next()).toBe(sweep);
    expect(await world.next("unpaid"), "run 3").toBe(skipped);
    expect(await world.next(), "run 4").toBe(refresh);
    expect(await world.next(), "run 5").toBe(sweep);
    expect(await world.next(), "run 6").toBe(refresh);
    expect(await world.next(), "run 7").toBe(sweep);
  });

  it("stays due after each skipped run, even if the third skip pauses the watchlist", async () => {
    const world = await World.open();
    expect(await world.next()).toBe(sweep);
    for (const run of [3, 4, 5]) expect(await world.next("unpaid"), `run ${run}`).toBe(skipped);
    const { status, nextRunAt } = await world.now();
    expect([status, nextRunAt]).toEqual(["paused", null]);
    world.bench.clock.advance(60_000);
    const due = world.bench.clock.now().toISOString();
    const resumed = { status: "active", pausedReason: null, consecutiveSkips: 0 } as const;
    await world.patch({ ...resumed, nextRunAt: due, refreshEveryRuns: 100 });
    expect(await world.next(), "run 6").toBe(refresh);
    expect(await world.next(), "run 7").toBe(sweep);
  });

  it("is made by the next manual run, even if the watchlist is paused", async () => {
    const world = await World.open();
    await world.next();
    expect(await world.next("unpaid")).toBe(skipped);
    await world.patch({ status: "paused", pausedReason: "user", nextRunAt: null });
    expect(await world.next("manual")).toBe(refresh);
    expect(await world.next("manual")).toBe(sweep);
  });

  const own = (every: number | null): Pipeline => ({
    entry: "scan",
    baseline: null,
    refresh: every === null ? null : { everyRuns: every, entry: "whole" },
    steps: [
      { id: "scan", scraper: "retailer_a.pulse", routes: [{ when: "changed", run: "whole" }] },
      { id: "whole", scraper: "retailer_a.full", routes: [] },
    ],
  });

  it("starts at the refresh entry of the watchlist's current pipeline", async () => {
    const world = await World.open();
    await world.next();
    await world.next("unpaid");
    await world.patch({ pipeline: own(100) });
    expect(await world.next()).toBe("refresh whole completed");
    expect(await world.next()).toBe("sweep scan completed");
  });

  it("is dropped after a run completes with a pipeline that has no refresh", async () => {
    const world = await World.open();
    await world.next();
    await world.next("unpaid");
    await world.patch({ pipeline: own(null) });
    expect(await world.next()).toBe("sweep scan completed");
    await world.patch({ pipeline: own(100) });
    expect(await world.next()).toBe("sweep scan completed");
  });

  it("is due even if an earlier release stored the watchlist without the attribute 'refresh_due'", async () => {
    const world = await World.open();
    await world.next();
    const { accountId, id } = world.list;
    const { client, name } = world.bench.table;
    await client.send(
      new UpdateCommand({
        TableName: name,
        Key: watchlistKeys.watchlist(accountId, id),
        UpdateExpression: "REMOVE refresh_due",
      }),
    );
    expect(await world.next("unpaid")).toBe(skipped);
    expect(await world.next()).toBe(refresh);
  });
});

describe("a refresh whose run failed", () => {
  /**
   * Starts the third run with `begin`, loses its messages, and lets the sweeper end it as failed.
   */
  async function failed(begin: (world: World) => Promise<unknown>): Promise<World> {
    const world = await World.open();
    const { bench, list } = world;
    await world.next();
    bench.clock.advance(3_600_000);
    await begin(world);
    bench.loseMessages();
    const run = await bench.lastRun(list);
    bench.clock.advance(20 * 60_000);
    await bench.work([{ queue: "resume", run }]);
    expect(await bench.lastRun(list)).toMatchObject({ kind: "refresh", status: "failed" });
    return world;
  }

  it("is not repeated if the entry step of the refresh had started", async () => {
    const world = await failed(({ bench, list }) => bench.runSome(list, 1));
    const items = await world.bench.items(world.list);
    expect(items.flatMap(({ owes }) => owes.map(({ step }) => step))).toEqual(["lite", "lite"]);
    expect(await world.next()).toBe(sweep);
    const { stats } = await world.bench.lastRun(world.list);
    expect(stats.steps["lite"]).toMatchObject({ requested: 2, ok: 2 });
  });

  it("is made by the next run if the run failed before the entry step of the refresh", async () => {
    const world = await failed(({ bench, list: { accountId, id: watchlistId } }) => {
      const now = bench.clock.now();
      const schedules = { put: async () => {}, remove: async () => {} };
      const tick = { accountId, watchlistId, scheduledTime: now, now };
      return claimDueRun(tick, { ...bench, schedules });
    });
    expect(await world.next()).toBe(refresh);
    expect(await world.next()).toBe(sweep);
  });
});
