import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterEach, describe, expect, it } from "vitest";
import { assert } from "../../../shared/base/assert.ts";
import { limits } from "../../../shared/base/limits.ts";
import { systemRandom } from "../../../shared/base/system.ts";
import type { Ledger } from "../../../shared/credits/ledger.ts";
import { resumeRun } from "../../../shared/runs/resume-run.ts";
import { claimDueRun } from "../../../shared/runs/claim-due-run.ts";
import { watchlistKeys } from "../../../shared/aws/table/table.ts";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import { presentRun } from "../../../shared/runs/present-run.ts";
import { startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";
import {
  asins,
  defaultOfRetailerA,
  oneTier,
  oneTierEnds,
  owedSteps,
  product,
  retailerAEnds,
  standard,
} from "./two-run-scenarios.ts";

const tables = openTables();

describe.each([
  ["on a platform with one tier", oneTier, oneTierEnds],
  ["on the default pipeline of retailer_a", defaultOfRetailerA, retailerAEnds],
])("a run in the scenario '%s'", (_, scenario, expected) => {
  it("has the statuses, charges, items and events that the specification requires", async () => {
    expect(await scenario({ tables })).toMatchObject(expected);
  });

  it("has the statuses, charges, items and events that the specification requires, even if every message is delivered twice", async () => {
    expect(await scenario({ tables, deliveries: 2 })).toMatchObject(expected);
  });
});

describe("a delisted item", () => {
  it("is not read by later runs", async () => {
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

describe("a watchlist whose balance does not cover the first step", () => {
  it("skips its runs without a read or a charge, and is paused at the third skip in a row", async () => {
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

describe("a second step that the balance does not cover", () => {
  const pipeline: Pipeline = {
    entry: "pulse",
    baseline: null,
    refresh: null,
    steps: [
      { id: "pulse", scraper: "retailer_a.pulse", routes: [{ when: "always", run: "full" }] },
      { id: "full", scraper: "retailer_a.full", routes: [{ when: "changed", notify: true }] },
    ],
  };
  it("reads nothing, and gives its items an owed retry of this step", async () => {
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
  it("leaves no hold if one process dies after its reservation and the other skips the run", async () => {
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
    await resumeRun(run, { ...bench, ledger, random: systemRandom });
    expect(await bench.lastRun(list)).toMatchObject({ status: "insufficient_credits" });
    expect(await bench.account()).toMatchObject({ balance: 50, held: 0, spent: 0 });
  });
});

describe("the limited history of runs", () => {
  const { runHistoryMax } = limits;
  afterEach(() => void Object.assign(limits, { runHistoryMax }));

  it("keeps the newest runs, even if the process of a run dies during the last external calls of the run", async () => {
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

describe("a run of several batches and steps", () => {
  // If a tick is delivered twice, the second delivery resumes the run, which sends the four batches
  // of its first step again.
  it.each([
    { deliveries: 1, batches: 12 },
    { deliveries: 2, batches: 12 + 2 * 4 },
  ])(
    "sends $batches batch messages in two runs if the number of deliveries per message is $deliveries",
    async ({ deliveries, batches }) => {
      const bench = await startRunBench({ tables, batchIdsMax: 1, deliveries });
      const list = await bench.createList(asins.slice(0, 4), { platform: "retailer_a" });
      bench.answers.product = () => ({ status: "ok", fields: product(10, 10) });
      await bench.run(list);
      bench.clock.set("2026-03-01T01:00:00Z");
      bench.answers.product = () => ({ status: "ok", fields: product(8, 8) });
      await bench.run(list);

      const { status, stats } = await bench.lastRun(list);
      expect({ status, steps: Object.keys(stats.steps) }).toEqual({
        status: "completed",
        steps: ["pulse", "lite"],
      });
      expect(bench.batchesSent()).toBe(batches);
    },
  );
});

describe("a run with lost batch messages", () => {
  it("gets new messages from the sweeper only for its unfinished batches", async () => {
    const bench = await startRunBench({ tables, batchIdsMax: 1 });
    const list = await bench.createList(["10001", "10002", "10003", "10004"]);
    bench.answers.product = () => ({ status: "ok", fields: standard(10) });
    await bench.runSome(list, 2);
    bench.loseMessages();
    const sent = bench.batchesSent();
    bench.clock.set("2026-03-01T00:06:00Z");
    await bench.work([{ queue: "resume", run: await bench.lastRun(list) }]);
    expect(bench.batchesSent() - sent).toBe(3);
    expect(await bench.lastRun(list)).toMatchObject({ status: "completed", credits: 4 });
  });
});

describe("a run without progress for 15 minutes", () => {
  it("fails, charges the items with answers, and gives the other items owed retries", async () => {
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
  it("gives each unread item an owed retry of the step at which the item was not read", async () => {
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
  it("ends as failed after an hour, and then the watchlist can run again", async () => {
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

describe("an item that is removed while its run is in progress", () => {
  it("is neither read nor charged", async () => {
    const bench = await startRunBench({ tables, batchIdsMax: 1 });
    const list = await bench.createList(["10001", "10002"]);
    bench.answers.product = () => ({ status: "ok", fields: standard(10) });
    await bench.runSome(list, 1);
    const [page] = await Array.fromAsync(bench.pages.pages(list.id));
    if (page === undefined) throw new Error("The watchlist has no page");
    await bench.pages.replace({ ...list, watchlistId: list.id }, [page], page.items.slice(0, 1));
    await bench.work([]);
    expect(await bench.lastRun(list)).toMatchObject({
      status: "completed",
      credits: 1,
      stats: { steps: { check: { requested: 1, ok: 1, skipped: 1 } } },
    });
  });
});

describe("a step with the name of a JavaScript object member as its ID", () => {
  it.each(["constructor", "toString", "hasOwnProperty"])(
    "gets its stats and its charge like a step with any other ID (the step ID: %s)",
    async (id) => {
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
    },
  );
});

describe("a schedule tick of a watchlist", () => {
  it("starts no further run if the tick arrives again after its run has ended", async () => {
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

  it("starts no run while another run is in progress, and is counted as an overlap", async () => {
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

describe("the history of a watchlist's runs", () => {
  it("keeps the newest 500 runs", async () => {
    const bench = await startRunBench({ tables });
    const list = await bench.createList(["10001"]);
    bench.answers.product = () => ({ status: "ok", fields: standard(10) });
    await bench.run(list);
    await bench.table.client.send(
      new UpdateCommand({
        TableName: bench.table.name,
        Key: watchlistKeys.watchlist(list.accountId, list.id),
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
