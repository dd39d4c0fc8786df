import { pointOf } from "../../../../shared/history/point-lines.ts";
import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { dynamoRunStore } from "../../../../shared/aws/runs/run-store.ts";
import { dynamoStepStore } from "../../../../shared/aws/runs/step-store.ts";
import { claimRun } from "../../../../shared/runs/claim-run.ts";
import { type BatchCounts, type BatchRef, noCounts } from "../../../../shared/runs/batch.ts";
import type { ItemOutcome } from "../../../../shared/runs/item-outcome.ts";
import type { Run } from "../../../../shared/runs/run.ts";
import type { StepRecord } from "../../../../shared/runs/step.ts";
import type { RunStore } from "../../../../shared/runs/run-store.ts";
import type { StepPlan, StepStore } from "../../../../shared/runs/step-store.ts";
import { aWatchlist } from "../../../support/a-watchlist.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { putWatchlist } from "../../../support/put-watchlist.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";

const at = "2026-03-01T00:00:00.000Z";

const tables = openTables();
let table: string;
let runs: RunStore;
let store: StepStore;
/** A run in phase `reading` with the plan `won`. */
let run: Run;
beforeEach(async () => {
  table = await tables.create();
  const clock = fixedClock(at);
  const options = { table, clock, random: countingRandom() };
  runs = dynamoRunStore(tables.client, options);
  store = dynamoStepStore(tables.client, options);
  const watchlist = aWatchlist();
  await putWatchlist({ client: tables.client, ...options }, watchlist, []);
  const now = clock.now();
  const claimed = await claimRun({ watchlist, trigger: "schedule", due: now, now }, runs);
  if (claimed === undefined) throw new Error("The run was not claimed");
  await runs.startReading(claimed, { plan: "won", stats: claimed.stats });
  run = { ...claimed, phase: "reading", plan: "won" };
});

/** Plans a step of the run. */
async function plan(wanted: StepPlan): Promise<StepRecord> {
  const planned = await store.plan(run, wanted);
  if (planned === "over") throw new Error("The run accepts no plan");
  return planned;
}

const shortfall = { needed: 4, available: 2 };

/** Returns a step whose items come from an earlier step. */
const aStep = (wanted: Partial<StepRecord> = {}): StepRecord => ({
  runId: run.id,
  step: "detail",
  position: 1,
  scraper: "retailer_d.standard",
  plan: "p1",
  batches: 2,
  items: 3,
  starts: null,
  decision: null,
  shortfall: null,
  isSent: false,
  done: new Set(),
  stats: null,
  ...wanted,
});
const refOf = (step: StepRecord, batch: number): BatchRef => ({
  accountId: run.accountId,
  watchlistId: run.watchlistId,
  runNumber: run.runNumber,
  runId: run.id,
  step: step.step,
  plan: step.plan,
  starts: step.starts,
  batch,
});
const counts = (requested: number, wanted: Partial<BatchCounts> = {}): BatchCounts => ({
  ...noCounts,
  requested,
  ok: requested,
  quarters: requested * 2,
  ...wanted,
});
const anOutcome = (id: string, wanted: Partial<ItemOutcome> = {}): ItemOutcome => ({
  id,
  addedAt: at,
  status: "ok",
  at,
  ...wanted,
});
const carried = [{ step: "check", outcomes: [anOutcome("10001", { next: ["detail"] })] }];
const batches = [
  { ids: ["10001", "10002"], carried },
  { ids: ["10003"], carried: [] },
];

describe("the starting items of a step", () => {
  it("are read chunk by chunk, without the items of rejected plans and of other steps", async () => {
    const chunks = Array.from({ length: 30 }, (_, n) => [String(10_000 + n)]);
    await store.saveStarts(run.id, "lost", new Map([["check", [["99999"]]]]));
    await store.saveStarts(
      run.id,
      "won",
      new Map([
        ["check", chunks],
        ["check2", [["20001"]]],
      ]),
    );

    expect(await store.starts(run, "check")).toEqual(chunks);
    expect(await store.starts(run, "check2")).toEqual([["20001"]]);
    expect(await store.starts(run, "detail")).toEqual([]);
  });

  it("are the items of the step's batches if no batches were stored with the step's plan", async () => {
    await store.saveStarts(run.id, "won", new Map([["check", [["10001"], ["10002"]]]]));
    const step = aStep({ step: "check", position: 0, starts: "won" });
    await plan({ step, batches: [] });

    expect(await store.planned(refOf(step, 1))).toEqual({ ids: ["10002"], carried: [] });
  });
});

describe("dynamoStepStore.plan, which stores the plan of a step,", () => {
  it("stores the plan of a step with its batches", async () => {
    const step = aStep();

    expect(await plan({ step, batches })).toEqual(step);
    expect(await store.get(run.id, "detail")).toEqual(step);
    expect(await store.planned(refOf(step, 0))).toEqual(batches[0]);
    expect(await store.planned(refOf(step, 1))).toEqual(batches[1]);
    expect(await store.planned(refOf(step, 2))).toBeUndefined();
    expect(await store.get(run.id, "check")).toBeUndefined();
  });

  it("returns the plan that was stored first to a later attempt to plan the step", async () => {
    const first = aStep();
    const second = aStep({ plan: "p2", batches: 1, items: 1 });
    await plan({ step: first, batches });

    expect(await plan({ step: second, batches: [{ ids: ["10009"], carried: [] }] })).toEqual(first);
    expect(await store.planned(refOf(first, 0))).toEqual(batches[0]);
  });

  it("returns the same plan to all concurrent attempts to plan the step", async () => {
    const planned = await Promise.all(
      Array.from({ length: 6 }, (_, n) => plan({ step: aStep({ plan: `p${n}` }), batches })),
    );
    expect(new Set(planned.map((one) => one.plan)).size).toBe(1);
  });

  it("stores no plan if the run was abandoned, but still returns a plan that was stored earlier", async () => {
    const planned = await plan({ step: aStep(), batches });
    await runs.abandon(run, "stuck");

    expect(await store.plan(run, { step: aStep({ step: "late" }), batches })).toBe("over");
    expect(await store.get(run.id, "late")).toBeUndefined();
    expect(await store.plan(run, { step: aStep({ plan: "p2" }), batches })).toEqual(planned);
  });

  it("stores no plan if the run is finishing", async () => {
    await runs.startFinishing(run, "completed", ["reading"]);

    expect(await store.plan(run, { step: aStep(), batches })).toBe("over");
    expect(await store.list(run.id)).toEqual([]);
  });

  it("stores several steps of a run, and lists them in the order of their positions", async () => {
    const steps = [
      aStep({ step: "b", position: 0 }),
      aStep({ step: "c", position: 1 }),
      aStep({ step: "a", position: 2 }),
    ];
    for (const step of steps.toReversed()) await plan({ step, batches: [] });

    expect(await store.list(run.id)).toEqual(steps);
    expect(await store.list("wlrun_other")).toEqual([]);
  });
});

describe("dynamoStepStore.recordSent, which stores the progress of a step,", () => {
  it("marks the batches of a step as sent, and writes nothing for a deleted step", async () => {
    const step = await plan({ step: aStep(), batches });
    await store.recordSent(step);
    await store.recordSent(aStep({ step: "deleted" }));

    expect(await store.get(run.id, "detail")).toEqual({ ...step, isSent: true });
    expect(await store.get(run.id, "deleted")).toBeUndefined();
  });
});

describe("dynamoStepStore.decide, which stores whether a step is read or deferred,", () => {
  it("stores the decision to read or defer a step, and returns the same decision to later calls", async () => {
    const step = await plan({ step: aStep(), batches });

    expect(await store.decide(run, step, null)).toBe("read");
    expect(await store.decide(run, step, shortfall)).toBe("read");
    expect(await store.get(run.id, "detail")).toEqual({ ...step, decision: "read" });
  });

  it("stores the credits that a deferred step needed and the balance at that time", async () => {
    const step = await plan({ step: aStep(), batches });

    expect(await store.decide(run, step, shortfall)).toBe("defer");
    expect(await store.decide(run, step, { needed: 4, available: 0 })).toBe("defer");
    expect(await store.get(run.id, "detail")).toEqual({ ...step, decision: "defer", shortfall });
  });

  it("stores no decision if the run was abandoned or is finishing", async () => {
    const step = await plan({ step: aStep(), batches });
    await runs.abandon(run, "stuck");
    expect(await store.decide(run, step, null)).toBe("over");
    await runs.startFinishing(run, "failed", ["reading"]);
    expect(await store.decide(run, step, shortfall)).toBe("over");

    expect(await store.get(run.id, "detail")).toMatchObject({ decision: null });
  });

  it("returns a stored decision even when the run is finishing, and stores none for an unknown step", async () => {
    const step = await plan({ step: aStep(), batches });
    await store.decide(run, step, null);
    await runs.startFinishing(run, "completed", ["reading"]);

    expect(await store.decide(run, step, null)).toBe("read");
    expect(await store.decide(run, aStep({ step: "never" }), null)).toBe("over");
  });

  it("throws the error of an invalid request instead of reporting the end of the run", async () => {
    const step = await plan({ step: aStep(), batches });
    const client = watchedClient(tables.client, (command, send) =>
      command instanceof TransactWriteCommand
        ? Promise.reject(
            new TransactionCanceledException({
              message: "wrong",
              $metadata: {},
              CancellationReasons: [{ Code: "ValidationError" }, { Code: "None" }],
            }),
          )
        : send(),
    );
    const options = { table, clock: fixedClock(at), random: countingRandom() };
    const broken = dynamoStepStore(client, options);
    await expect(broken.decide(run, step, null)).rejects.toThrow("wrong");
  });
});

describe("a batch of a step", () => {
  const found = {
    counts: counts(2, { ok: 1, notFound: 1 }),
    outcomes: [
      anOutcome("10001", { changes: { price: { before: 1, after: 2 } }, next: ["more"] }),
      anOutcome("10002", { status: "not_found", lastSnapshot: { price: 1 } }),
      anOutcome("10003"),
      anOutcome("10004", { reported: { price: 2 } }),
    ],
  };

  it("is returned with its run, its step, its IDs and its result", async () => {
    const step = aStep();
    const ref = refOf(step, 0);
    expect(await store.open(ref)).toMatchObject({
      run: { id: run.id, plan: "won" },
      step: undefined,
      planned: undefined,
      result: undefined,
    });
    await plan({ step, batches });
    await store.recordResult(ref, found);

    expect(await store.open(ref)).toEqual({ run, step, planned: batches[0], result: found });
  });

  it("stores the observed changes in all of its outcomes as history points, separately from the outcomes", async () => {
    const step = aStep();
    const observed = { price: { before: 1, after: 2 } };
    const outcomes = [
      anOutcome("10001", { observed, next: ["more"] }),
      anOutcome("10002", { status: "not_found", lastSnapshot: { price: 1 } }),
      anOutcome("10003", { observed }),
      anOutcome("10004"),
    ];
    await store.recordResult(refOf(step, 0), { ...found, outcomes });

    const [result] = await Array.fromAsync(store.effectiveResults(step));
    expect(result?.points.map(pointOf)).toMatchObject([
      { id: "10001", step: step.step, status: "ok", values: observed },
      { id: "10002", status: "not_found", values: {} },
      { id: "10003", status: "ok", values: observed },
    ]);
    expect(result?.outcomes.map(({ id }) => id)).toEqual(["10001", "10002"]);
    const stored = (await store.open(refOf(step, 0))).result;
    expect(stored?.outcomes.filter((outcome) => "observed" in outcome)).toEqual([]);
  });

  it("is returned without a run, a step, IDs and a result if the run of the batch was deleted", async () => {
    await runs.forget(run.watchlistId, run.runNumber);
    const nothing = { run: undefined, step: undefined, planned: undefined, result: undefined };
    expect(await store.open(refOf(aStep(), 0))).toEqual(nothing);
  });

  it("stores only its first result, even if a worker records another result later", async () => {
    const ref = refOf(aStep(), 0);
    const second = { counts: counts(9), outcomes: [anOutcome("10009")] };

    expect(await store.recordResult(ref, found)).toEqual({ isFirst: true });
    expect(await store.recordResult(ref, second)).toEqual({ isFirst: false, first: found });
    expect(await store.recordResult(refOf(aStep({ plan: "p2" }), 0), second)).toEqual({
      isFirst: true,
    });
  });

  it("stores the shape of the source's answers with its result", async () => {
    await plan({ step: aStep(), batches });
    const shape = { compared: 3, incomplete: 1, fields: { price: [3, 1] } } as const;
    await store.recordResult(refOf(aStep(), 0), { ...found, shape });

    expect((await store.open(refOf(aStep(), 0))).result?.shape).toEqual(shape);
    const results = await Array.fromAsync(store.effectiveResults(aStep()));
    expect(results.map((result) => result.shape)).toEqual([shape]);
  });

  it("is counted as done in its step only once, even if a worker marks the batch as done twice", async () => {
    await plan({ step: aStep(), batches });
    const ref = refOf(aStep(), 1);

    expect(await store.markDone(ref)).toEqual(aStep({ done: new Set([1]) }));
    expect(await store.markDone(ref)).toEqual(aStep({ done: new Set([1]) }));
    expect(await store.markDone({ ...ref, batch: 0 })).toEqual(aStep({ done: new Set([0, 1]) }));
  });

  it("is counted as done even if many other batches are marked at the same time", async () => {
    await plan({ step: aStep({ batches: 12 }), batches: [] });
    await Promise.all(Array.from({ length: 12 }, (_, n) => store.markDone(refOf(aStep(), n))));

    expect((await store.get(run.id, "detail"))?.done.size).toBe(12);
  });

  it("is not counted in a deleted step, and does not create the step's row again", async () => {
    expect(await store.markDone(refOf(aStep(), 0))).toBeUndefined();
    expect(await store.get(run.id, "detail")).toBeUndefined();
  });
});

describe("the stored results of a step", () => {
  /**
   * A number of results that exceeds a megabyte, so that DynamoDB returns them in several pages.
   */
  const large = 25;
  const outcomesOf = (batch: number): ItemOutcome[] => [
    anOutcome(`${batch}-a`, { next: ["more"] }),
    anOutcome(`${batch}-b`, { status: "not_found", lastSnapshot: null }),
    anOutcome(`${batch}-c`),
    anOutcome(`${batch}-d`, { reported: { title: noise(batch) } }),
  ];
  beforeEach(async () => {
    for (let batch = 0; batch < large; batch += 1) {
      const result = { counts: counts(4, { notFound: 1 }), outcomes: outcomesOf(batch) };
      await store.recordResult(refOf(aStep(), batch), result);
    }
    await store.recordResult(refOf(aStep({ plan: "lost" }), 0), {
      counts: counts(1_000),
      outcomes: [anOutcome("lost", { next: ["more"], lastSnapshot: null })],
    });
  });

  it("are returned batch by batch, without the results of a rejected plan", async () => {
    const all = Array.from({ length: large }, (_, batch) => batch);

    expect(await store.counts(aStep())).toEqual(counts(4 * large, { notFound: large }));
    const results = await Array.fromAsync(store.effectiveResults(aStep()));
    expect(results.map(({ outcomes }) => outcomes)).toEqual(
      all.map((batch) => outcomesOf(batch).filter(({ id }) => !id.endsWith("-c"))),
    );
    const routed = await Array.fromAsync(store.routed(aStep()));
    expect(routed.map((outcomes) => outcomes.map(({ id }) => id))).toEqual(
      all.map((batch) => [`${batch}-a`]),
    );
    expect(await Array.fromAsync(store.delisted(aStep()))).toEqual(
      all.map((batch) => [`${batch}-b`]),
    );
  });

  it("are empty for a step without results", async () => {
    const none = aStep({ step: "none" });
    expect(await store.counts(none)).toEqual(noCounts);
    expect(await Array.fromAsync(store.routed(none))).toEqual([]);
  });

  /** 50 KB that do not compress, always the same for one batch. */
  function noise(batch: number): string {
    const random = countingRandom(batch);
    const parts = Array.from({ length: 800 }, () =>
      Buffer.from(random.bytes(48)).toString("base64"),
    );
    return parts.join("");
  }
});

describe("the stored stats of a step", () => {
  const stats = { scraper: "retailer_d.standard", requested: 3, ok: 3, partial: 0 } as const;
  const settled = { ...stats, notFound: 0, unavailable: 0, credits: 2, skipped: 0 };

  it("do not change after they are stored, even if a later write has other stats", async () => {
    await plan({ step: aStep(), batches });
    await store.recordStats(aStep({ stats: settled }));
    await store.recordStats(aStep({ stats: { ...settled, credits: 9 } }));

    expect(await store.get(run.id, "detail")).toEqual(aStep({ stats: settled }));
  });

  it("do not create the row of a deleted step", async () => {
    await store.recordStats(aStep({ stats: settled }));
    expect(await store.get(run.id, "detail")).toBeUndefined();
  });
});

it("the rows of a step expire two weeks after the run", async () => {
  await store.saveStarts(run.id, "won", new Map([["check", [["10001"]]]]));
  await plan({ step: aStep(), batches });
  await store.recordResult(refOf(aStep(), 0), { counts: noCounts, outcomes: [] });

  const { Items = [] } = await tables.client.send(
    new QueryCommand({
      TableName: table,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `run#${run.id}` },
    }),
  );
  expect(Items).toHaveLength(5);
  expect(new Set(Items.map(({ ttl }) => ttl))).toEqual(
    new Set([Date.parse("2026-03-15T00:00:00.000Z") / 1_000]),
  );
});
