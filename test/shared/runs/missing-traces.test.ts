import { beforeEach, describe, expect, it } from "vitest";
import { limits } from "../../../shared/base/limits.ts";
import type { Pipeline, Route } from "../../../shared/pipelines/definition.ts";
import { missingTraces } from "../../../shared/runs/missing-traces.ts";
import type { Answer } from "../../../shared/scrapers/scraper.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
const pipelineOf = (...routes: readonly Route[]): Pipeline => ({
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [{ id: "check", scraper: "retailer_d.standard", routes }],
});
const plain = pipelineOf({ when: "changed", notify: true });
const cheaper = pipelineOf({
  when: "ok",
  field: "price",
  op: "below",
  value: { field: "previousPrice" },
  notify: true,
});
const found = (amount: number) => (): Partial<Answer> & Pick<Answer, "status"> => ({
  status: "ok",
  fields: {
    price: { amount, currency: "USD" },
    retailer_d: { state: "ADD_TO_CART", purchasable: true },
  },
});

describe("a watchlist whose pipeline starts to test a derived field", () => {
  let bench: Awaited<ReturnType<typeof startRunBench>>;
  beforeEach(async () => {
    bench = await startRunBench({ tables });
  });

  async function runAt(list: Watchlist, price: number, pipeline: Pipeline): Promise<void> {
    bench.clock.advance(3_600_000);
    bench.answers.product = found(price);
    const before = await bench.list(list);
    if (before === undefined) throw new Error("The watchlist does not exist");
    const after = { ...before, pipeline, revision: before.revision + 1 };
    await bench.watchlists.update({ before, after });
    await bench.run(list);
  }

  const previousOf = async (list: Watchlist) =>
    (await bench.items(list)).map(({ routeStates }) => routeStates?.["previousPrice"]?.prices);

  it("calculates the derived field from the history in its first run with the new pipeline", async () => {
    const list = await bench.createList(["10001"], { pipeline: plain });
    await runAt(list, 10, plain);
    await runAt(list, 12, plain);
    await runAt(list, 12, cheaper);

    expect(await previousOf(list)).toMatchObject([{ previous: 10 }]);
    const { runs } = await bench.runs.list(list.id, 1);
    expect(runs[0]?.stats.matched).toBe(0);
    await runAt(list, 11, cheaper);
    const next = await bench.runs.list(list.id, 1);
    expect(next.runs[0]?.stats.matched).toBe(1);
  });

  it("makes no additional store calls after all items have the derived field", async () => {
    const [one, other] = [
      await bench.createList(["10001"], { pipeline: plain }),
      await bench.createList(["10002"], { pipeline: cheaper }),
    ];
    await runAt(one, 10, plain);
    await runAt(other, 10, cheaper);
    await runAt(one, 12, plain);
    const calls = bench.calls();
    await runAt(other, 12, cheaper);

    expect(bench.calls()).toBe(calls);
  });

  it("leaves the derived field absent while the history lacks an earlier run, and tries again in the next run", async () => {
    const list = await bench.createList(["10001"], { pipeline: plain });
    await runAt(list, 10, plain);
    const { runs } = await bench.runs.list(list.id, 1);
    const emitting = runs.map((run) => ({ ...run, phase: "emitting" as const }));
    const [run] = emitting;
    if (run === undefined) throw new Error("The run does not exist");
    const [item] = await bench.items(list);
    if (item === undefined) throw new Error("The item does not exist");
    const [step] = cheaper.steps;
    const answer = { id: "10001", status: "ok", fetchedAt: runs[0]?.startedAt ?? "", quarters: 4 };
    const batch = {
      step: step ?? { id: "", scraper: "retailer_d.standard", routes: [] },
      items: new Map([["10001", item]]),
      answers: [{ ...answer, status: "ok" as const, observed: { price: 10 } }],
      isOver: () => false,
    };
    const next = { ...run, runNumber: 2, pipeline: cheaper };
    const tracesWith = async (earlier: typeof runs) =>
      missingTraces(next, batch, {
        history: bench.history,
        runs: { list: async () => ({ runs: earlier, hasMore: false }) },
      });

    expect((await tracesWith(emitting)).size).toBe(0);
    expect((await tracesWith(runs)).size).toBe(1);
  });

  it("calculates the derived field for a limited number of items per run", async () => {
    const ids = Array.from({ length: limits.tracedItemsMax + 5 }, (_, n) => String(10_001 + n));
    const list = await bench.createList(ids, { pipeline: plain });
    await runAt(list, 10, plain);
    await runAt(list, 10, cheaper);
    const prepared = (await previousOf(list)).filter((trace) => trace !== undefined);
    expect(prepared).toHaveLength(limits.tracedItemsMax);

    await runAt(list, 10, cheaper);
    expect(await previousOf(list)).not.toContain(undefined);
  });

  it("deletes the stored trace of a derived field in the first run without a route that tests the field", async () => {
    const list = await bench.createList(["10001"], { pipeline: cheaper });
    await runAt(list, 10, cheaper);
    expect(await previousOf(list)).not.toContain(undefined);
    await runAt(list, 12, plain);
    expect(await previousOf(list)).toEqual([undefined]);
  });
});
