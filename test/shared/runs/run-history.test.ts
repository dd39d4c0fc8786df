import { beforeEach, describe, expect, it } from "vitest";
import { pointOf } from "../../../shared/history/point-lines.ts";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import { finishRun } from "../../../shared/runs/finish-run.ts";
import { pointLinesOf } from "../../../shared/runs/run-history.ts";
import type { ItemOutcome } from "../../../shared/runs/item-outcome.ts";
import type { Answer } from "../../../shared/scrapers/scraper.ts";
import { startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const at = "2026-03-01T00:00:00.000Z";
const outcome = (changes: Partial<ItemOutcome>): ItemOutcome => ({
  id: "10001",
  addedAt: at,
  status: "ok",
  at,
  ...changes,
});

describe("pointLinesOf, which serializes the observations of a step,", () => {
  it('returns the observed changes of an outcome with the status "ok" as one history point', () => {
    const observed = { price: { before: 10, after: 12 } };

    const lines = pointLinesOf("check", [outcome({ observed }), outcome({ next: ["detail"] })]);
    expect(lines.map(pointOf)).toEqual([
      { id: "10001", at, step: "check", status: "ok", values: observed },
    ]);
  });

  it.each(["not_found", "partial", "unavailable", "deferred", "skipped"] as const)(
    'returns a history point without values for the status "%s"',
    (status) => {
      expect(pointLinesOf("check", [outcome({ status })]).map(pointOf)).toEqual([
        { id: "10001", at, step: "check", status, values: {} },
      ]);
    },
  );
});

const tables = openTables();
const found = (amount: number) => (): Partial<Answer> & Pick<Answer, "status"> => ({
  status: "ok",
  fields: {
    price: { amount, currency: "USD" },
    retailer_d: { state: "ADD_TO_CART", purchasable: true },
  },
});
const always = { since: "0000", until: "9999" };

describe("the history of a run", () => {
  let bench: Awaited<ReturnType<typeof startRunBench>>;
  beforeEach(async () => {
    bench = await startRunBench({ tables });
  });

  it("contains the first reading of an item and each later change, even without an event about the change", async () => {
    const pipeline: Pipeline = {
      entry: "check",
      baseline: null,
      refresh: null,
      steps: [{ id: "check", scraper: "retailer_d.standard", routes: [] }],
    };
    const list = await bench.createList(["10001", "10002"], { pipeline });
    const itemOf = (itemId: string) =>
      bench.history.item({ watchlistId: list.id, itemId, ...always });
    bench.answers.product = found(10);
    await bench.run(list);
    bench.clock.set("2026-03-01T01:00:00Z");
    bench.answers.product = (id) => (id === "10002" ? { status: "not_found" } : found(12)());
    await bench.run(list);

    expect(await itemOf("10001")).toMatchObject([
      { runNumber: 1, at, status: "ok", values: { price: { after: 10 } } },
      { runNumber: 2, status: "ok", values: { price: { before: 10, after: 12 } } },
    ]);
    const [first, last] = await itemOf("10001");
    expect(first?.values["price"]).not.toHaveProperty("before");
    expect(Object.keys(last?.values ?? {})).toEqual(["price"]);
    expect(await itemOf("10002")).toMatchObject([
      { runNumber: 1 },
      { runNumber: 2, at: "2026-03-01T01:00:00.000Z", status: "not_found", values: {} },
    ]);
    const types = [...bench.published.values()].map(({ type }) => type);
    expect(types).not.toContain("watchlist.product.changed");
  });

  it("is recorded before the events of the run are published", async () => {
    const list = await bench.createList(["10001"]);
    await bench.runSome(list, 2);
    const run = await bench.lastRun(list);
    const recordedAtEvents: boolean[] = [];
    const publisher = {
      publish: async () => {
        recordedAtEvents.push(await bench.history.isRecorded(list.id, run.runNumber));
      },
    };
    await finishRun(run, { ...bench, publisher });

    expect(recordedAtEvents).toEqual([true]);
  });

  it("is merged before the run ends: if the first message leaves the merge unfinished, a later message ends the run", async () => {
    const list = await bench.createList(["10001"]);
    await bench.runSome(list, 2);
    const run = await bench.lastRun(list);
    const publisher = { publish: async () => {} };
    const history = {
      ...bench.history,
      mergedWindows: async () => 0,
      isRecorded: async () => true,
    };
    const merge = async () => ({ outcome: "unfinished" }) as const;
    const until = bench.clock.now();
    await finishRun({ ...run, until }, { ...bench, publisher, history: { ...history, merge } });
    expect((await bench.lastRun(list)).phase).toBe("emitting");

    await finishRun(run, { ...bench, publisher });
    expect((await bench.lastRun(list)).phase).toBe("done");
  });
});
