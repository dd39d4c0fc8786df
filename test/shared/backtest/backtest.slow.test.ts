import { beforeEach, describe, expect, it } from "vitest";
import { presentBacktest, reportRun } from "../../../shared/backtest/present-backtest.ts";
import {
  backtest,
  type BacktestDependencies,
  type BacktestRequest,
  type EndedBacktest,
  type TestedRun,
} from "../../../shared/backtest/backtest.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Pipeline, Route } from "../../../shared/pipelines/definition.ts";
import type { Answer } from "../../../shared/scrapers/scraper.ts";
import type { Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { decideHold } from "../../../shared/runs/decide-hold.ts";
import { changeItems } from "../../../shared/watchlists/change-items.ts";
import type { ItemChange } from "../../../shared/watchlists/items-request.ts";
import { pipelineOf } from "../../../shared/watchlists/watchlist.ts";
import { startRunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
const always = { since: "2026-01-01T00:00:00.000Z", until: "2027-01-01T00:00:00.000Z" };
const ids = ["10001", "10002", "10003", "10004"];
const hour = 3_600_000;

const checks = (...routes: readonly Route[]): Pipeline => ({
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [{ id: "check", scraper: "retailer_d.standard", routes }],
});

/** Prices of an item by run; null: sold out; a status: the source's answer without a price. */
type Prices = readonly (number | null | "unavailable" | "not_found")[];

const prices: Readonly<Record<string, Prices>> = {
  "10001": [10, 12, 12, 9, 9, 8, 8, 11],
  "10002": [20, 20, "unavailable", 18, null, 17, 17, 25],
  "10003": [5, 5, 4, "not_found", "not_found", 4, 4, 4],
  "10004": [7, "unavailable", 7, 7, 6, 7, 6, 5],
};

const answered = (price: Prices[number]): Partial<Answer> & Pick<Answer, "status"> =>
  price === "unavailable" || price === "not_found"
    ? { status: price }
    : {
        status: "ok",
        fields: {
          price: price === null ? null : { amount: price, currency: "USD" },
          availability: { inStock: price !== null },
          retailer_d: { state: "ADD_TO_CART", purchasable: true, regularPrice: 30 },
        },
      };

interface Tested extends EndedBacktest {
  readonly runs: readonly TestedRun[];
}

/** Runs a back-test and keeps its runs. @throws the error of a back-test that is too large */
async function tested(
  request: Omit<BacktestRequest, "bounds"> & Partial<Pick<BacktestRequest, "bounds">>,
  dependencies: BacktestDependencies,
): Promise<Tested> {
  const runs: TestedRun[] = [];
  const found = await backtest(
    { bounds: limits.backtest.call, ...request },
    (run) => void runs.push(run),
    dependencies,
  );
  if (found.outcome === "too_large") throw found.error;
  return { ...found, runs };
}

describe("a back-test", () => {
  let bench: Awaited<ReturnType<typeof startRunBench>>;
  beforeEach(async () => {
    bench = await startRunBench({ tables });
  });

  async function play(list: Watchlist, from = 0): Promise<void> {
    for (let run = from; run < 8; run += 1) {
      bench.answers.product = (id) => answered(prices[id]?.[run] ?? null);
      await bench.run(list);
      bench.clock.advance(hour);
    }
  }

  const test = async (list: Watchlist, changes: Partial<BacktestRequest> = {}): Promise<Tested> => {
    const watchlist = await bench.list(list);
    if (watchlist === undefined) throw new Error("The watchlist does not exist");
    return tested({ watchlist, pipeline: pipelineOf(watchlist), span: always, ...changes }, bench);
  };

  const itemEventsOf = ({ runs }: Tested) =>
    runs
      .flatMap(({ events }) => events)
      .filter(({ type }) => type !== "watchlist.run.completed")
      .map(({ id, body }) => ({ id, data: JSON.parse(body) as unknown }));

  const storedEvents = () =>
    [...bench.published.values()]
      .filter(({ type }) => type !== "watchlist.run.completed")
      .map(({ id, body }) => ({ id, data: JSON.parse(body) as unknown }));

  const pipelines: Readonly<Record<string, Pipeline>> = {
    "changed routes": checks({ when: "changed", notify: true }),
    "matched routes": checks(
      { when: "new", notify: true },
      { when: "ok", field: "price", op: "below", value: 10, notify: true },
      { when: "failed", notify: true },
      { when: "not_found", notify: true },
    ),
    "limited routes": checks(
      { when: "changed", field: "price", min_delta_percent: 20, cooldown: "2h", notify: true },
      { when: "ok", field: "price", op: "below", value: 10, once: true, notify: true },
    ),
    "derived fields": checks({
      when: "ok",
      field: "price",
      op: "below",
      value: { field: "previousPrice" },
      notify: true,
    }),
    "two steps": {
      entry: "check",
      baseline: null,
      refresh: null,
      steps: [
        {
          id: "check",
          scraper: "retailer_d.standard",
          routes: [{ when: "changed", run: "again" }],
        },
        {
          id: "again",
          scraper: "retailer_d.standard",
          routes: [{ when: "ok", field: "inStock", op: "is", value: true, notify: true }],
        },
      ],
    },
  };

  it.each(Object.entries(pipelines))(
    "of the current pipeline with the feature '%s' returns the events and charges of the original runs",
    async (_name, pipeline) => {
      const list = await bench.createList(ids, { pipeline });
      await play(list);
      const result = await test(list);

      expect(storedEvents().length).toBeGreaterThan(0);
      expect(itemEventsOf(result)).toEqual(storedEvents());
      const { runs } = await bench.runs.list(list.id, 100);
      expect(result.runs.map(({ run }) => [run.credits, run.stats])).toEqual(
        runs.toReversed().map((run) => [run.credits, run.stats]),
      );
      expect(result.unknownFields).toEqual([]);
    },
  );

  it("of the current pipeline includes the read of an item that a later step of the same run delisted", async () => {
    const toAgain: Route = { when: "ok", field: "inStock", op: "is", value: true, run: "again" };
    const { steps, ...others } = checks(toAgain);
    const again = { id: "again", scraper: "retailer_d.standard", routes: [] } as const;
    const list = await bench.createList(["10001"], {
      pipeline: { ...others, steps: [...steps, again] },
    });
    bench.answers.product = () => answered(10);
    await bench.run(list);
    bench.clock.advance(hour);
    let reads = 0;
    bench.answers.product = () => answered((reads += 1) === 1 ? 10 : "not_found");
    await bench.run(list);
    const result = await test(list);

    const { runs } = await bench.runs.list(list.id, 100);
    expect(runs[0]?.stats).toMatchObject({
      delisted: 1,
      steps: { check: { requested: 1 }, again: { requested: 1 } },
    });
    expect(result.runs.map(({ run }) => run.stats)).toEqual(
      runs.toReversed().map(({ stats }) => stats),
    );
  });

  it("of a part of the runs returns the events of these runs", async () => {
    const list = await bench.createList(ids, { pipeline: pipelines["changed routes"] ?? null });
    await play(list);
    const since = new Date(Date.parse(list.createdAt) + 3 * hour).toISOString();
    const result = await test(list, { span: { ...always, since } });

    expect(result.runs).toHaveLength(5);
    const stored = storedEvents().filter(
      ({ data }) => (data as { created_at: string }).created_at >= since,
    );
    expect(itemEventsOf(result)).toEqual(stored);
  });

  it("of a changed pipeline returns the events that a second watchlist with this pipeline had", async () => {
    const [running, other] = [pipelines["changed routes"], pipelines["limited routes"]];
    if (running === undefined || other === undefined) throw new Error("A pipeline is missing");
    const list = await bench.createList(ids, { pipeline: running });
    await play(list);
    const events = itemEventsOf(await test(list, { pipeline: other }));
    bench = await startRunBench({ tables });
    await play(await bench.createList(ids, { pipeline: other }));

    const entriesOf = (sent: ReturnType<typeof itemEventsOf>) =>
      sent.map(({ data }) => {
        const { changes, products } = (data as { data: Record<string, unknown> }).data;
        return { changes, products };
      });
    expect(entriesOf(events)).toEqual(entriesOf(storedEvents()));
  });

  it("does not include a discarded run", async () => {
    const pipeline = checks({ when: "unchanged", confirm: 2, once: true, notify: true });
    const list = await bench.createList(ids, {
      pipeline,
      brake: { maxChangedPercent: 50, minItems: 4 },
    });
    for (const price of [10, 10, 1_000, 10, 10]) {
      bench.answers.product = () => answered(price);
      await bench.run(list);
      const run = await bench.lastRun(list);
      if (run.phase === "held") {
        const decision = { status: "discarded", reason: null } as const;
        await decideHold(run, decision, { ...bench, warn: () => {} });
        await bench.work([]);
      }
      bench.clock.advance(hour);
    }
    const result = await test(list);

    expect(result.runs.map(({ run }) => run.runNumber)).toEqual([1, 2, 4, 5]);
    expect(result.leftOutRuns).toEqual([3]);
    expect(storedEvents().length).toBeGreaterThan(0);
    expect(itemEventsOf(result)).toEqual(storedEvents());
  });

  describe("of a watchlist whose items were added again", () => {
    const add = (id: string): ItemChange => ({ add: [id], remove: [], labels: new Map() });
    const addAgain = (id: string): ItemChange => ({ ...add(id), remove: [id] });

    /** Plays a run for each column of the prices. Before a run, makes the changes of this run. */
    async function playChanges(
      list: Watchlist,
      reads: Readonly<Record<string, Prices>>,
      changes: Readonly<Record<number, readonly ItemChange[]>>,
    ): Promise<void> {
      const runs = Math.max(...Object.values(reads).map(({ length }) => length));
      for (let run = 1; run <= runs; run += 1) {
        for (const change of changes[run] ?? []) {
          const watchlist = (await bench.list(list)) ?? list;
          await changeItems({ watchlist, change, now: bench.clock.now() }, bench);
          bench.clock.advance(60_000);
        }
        bench.answers.product = (id) => answered(reads[id]?.[run - 1] ?? null);
        await bench.run(list);
        bench.clock.advance(hour);
      }
    }

    const delisted = {
      "10001": [100, 90, "not_found", 95, 95, 80],
      "10002": [100, 100, 100, 100, 50, 50],
      // A client adds this item twice. The source does not find the item after the first addition,
      // and finds it after the second.
      "10003": [7, "not_found", "not_found", "not_found", 7, 6],
      // The first read of this item fails after a client has added it again.
      "10004": [7, 8, "not_found", "unavailable", 8, 9],
    } as const;
    const additions = {
      3: [add("10003")],
      4: [add("10001"), add("10004")],
      5: [add("10003")],
    };

    it.each(Object.entries(pipelines))(
      "with a pipeline that has the feature '%s' repeats the reads from before an item was delisted",
      async (_name, pipeline) => {
        const list = await bench.createList(ids, { pipeline });
        await playChanges(list, delisted, additions);
        const result = await test(list);

        expect(storedEvents().length).toBeGreaterThan(0);
        expect(itemEventsOf(result)).toEqual(storedEvents());
        const { runs } = await bench.runs.list(list.id, 100);
        expect(result.runs.map(({ run }) => [run.credits, run.stats])).toEqual(
          runs.toReversed().map((run) => [run.credits, run.stats]),
        );
        expect(result).toMatchObject({ unknownFields: [], unknownReads: [], removedItems: 0 });
      },
    );

    it("repeats the reads after items were added again, even in a time span that begins after these items were delisted", async () => {
      const list = await bench.createList(ids, { pipeline: pipelines["changed routes"] ?? null });
      await playChanges(list, delisted, additions);
      const { runs } = await bench.runs.list(list.id, 100);
      const since = runs.find(({ runNumber }) => runNumber === 4)?.startedAt ?? "";
      const result = await test(list, { span: { ...always, since } });

      const stored = storedEvents().filter(
        ({ data }) => (data as { created_at: string }).created_at >= since,
      );
      expect(stored.length).toBeGreaterThan(0);
      expect(itemEventsOf(result)).toEqual(stored);
    });

    it("has no result for an item that was added again and last read before the time span, and counts the item as omitted", async () => {
      const list = await bench.createList(ids, { pipeline: pipelines["changed routes"] ?? null });
      await playChanges(list, delisted, additions);
      const { runs } = await bench.runs.list(list.id, 100);
      const since = runs.find(({ runNumber }) => runNumber === 2)?.startedAt ?? "";
      const result = await test(list, { span: { ...always, since } });

      expect(result.removedItems).toBe(3);
      const [second, third, ...others] = result.runs;
      expect(second?.run.stats.steps["check"]?.requested).toBe(1);
      expect(third?.run.stats.steps["check"]?.requested).toBe(2);
      expect(others.map(({ run }) => run.stats.steps["check"]?.requested)).toEqual([3, 4, 4]);
    });

    it("omits the reads of an item from before the item was removed and added again, and counts the item as omitted", async () => {
      const list = await bench.createList(ids, { pipeline: pipelines["changed routes"] ?? null });
      const reads = { "10001": [10, 9, 8, 7], "10002": [5, 5, 4, 4], "10003": [], "10004": [] };
      await playChanges(list, reads, { 3: [addAgain("10001")] });
      const result = await test(list);

      expect(result.removedItems).toBe(1);
      expect(result.runs.map(({ run }) => run.stats.steps["check"]?.requested)).toEqual([
        3, 3, 4, 4,
      ]);
      const left = result.runs.map(({ run }) => run.stats.notified);
      const sent = (await bench.runs.list(list.id, 100)).runs.map(({ stats }) => stats.notified);
      expect([left, sent.toReversed()]).toEqual([
        [0, 0, 1, 1],
        [0, 1, 1, 1],
      ]);
    });
  });

  it("writes no rows, reads from no source and charges nothing", async () => {
    const list = await bench.createList(ids, { pipeline: pipelines["limited routes"] ?? null });
    await play(list);
    const before = [await bench.items(list), await bench.list(list), await bench.account()];
    const reads = bench.reads.length;
    await test(list);

    expect([await bench.items(list), await bench.list(list), await bench.account()]).toEqual(
      before,
    );
    expect(bench.reads).toHaveLength(reads);
  });

  it("returns the items, credits and events of each run, their sums, and ten sample events", async () => {
    const pipeline = pipelines["matched routes"] ?? null;
    const list = await bench.createList(ids, { pipeline });
    await play(list);
    const result = await test(list);
    const { total, runs, samples } = presentBacktest(
      { watchlistId: list.id, pipeline: pipelineOf(list), span: always },
      result.runs.map(reportRun),
      result,
    );

    expect(runs[0]).toMatchObject({
      run_number: 1,
      status: "completed",
      credits: 4,
      steps: [{ step: "check", items: 4, credits: 4 }],
      events: { "watchlist.product.matched": 6 },
    });
    const credits = result.runs.reduce((sum, { run }) => sum + run.credits, 0);
    expect(total).toMatchObject({ runs: 8, credits });
    expect(total.events["watchlist.product.delisted"]).toBe(1);
    expect(samples).toHaveLength(10);
  });

  it.each([
    [
      "more reads than the maximum",
      { readsMax: 8 },
      "The 8 runs in this span need more than 8 reads.",
    ],
    ["more history points than the maximum", { pointsMax: 3 }, "more than 3 history points"],
  ])(
    "that exceeds a maximum is refused (it needs %s), and the error names the field to change",
    async (_name, bound, message) => {
      const list = await bench.createList(ids, { pipeline: null });
      await play(list);
      await expect(
        test(list, { bounds: { ...limits.backtest.call, ...bound } }),
      ).rejects.toMatchObject({
        message: expect.stringContaining(message),
        details: { param: "since" },
      });
    },
  );

  it("of a pipeline that tests derived fields is refused if too many items were read before the time span", async () => {
    const pipeline = pipelines["derived fields"] ?? null;
    const list = await bench.createList(ids, { pipeline });
    await play(list);
    const since = new Date(Date.parse(list.createdAt) + 3 * hour).toISOString();
    const bounds = { ...limits.backtest.call, tracedItemsMax: 3 };
    await expect(test(list, { bounds, span: { ...always, since } })).rejects.toMatchObject({
      message: expect.stringContaining(
        "4 items were read before 'since', more than the maximum of 3",
      ),
    });
    await expect(test(list, { bounds })).resolves.toMatchObject({ outcome: "tested" });
  });

  it("is refused for a time span without a run, and the error names the field to change", async () => {
    const list = await bench.createList(ids, { pipeline: null });
    await expect(test(list)).rejects.toMatchObject({
      message: "This watchlist has no run to repeat yet. Wait until its first run has ended.",
      details: { param: "since" },
    });
  });

  it("is refused for a time span before or after all runs, and the error shows the time of the nearest run", async () => {
    const list = await bench.createList(ids, { pipeline: null });
    await play(list);
    const spanOf = (since: string, until: string) => ({ span: { since, until } });
    const before = spanOf("2025-01-01T00:00:00.000Z", "2025-01-02T00:00:00.000Z");
    await expect(test(list, before)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^'until' must be .+ or later, the start of the first run that can be repeated \(got ".+"\)\.$/,
      ),
      details: { param: "until" },
    });
    const after = spanOf("2026-12-01T00:00:00.000Z", "2026-12-02T00:00:00.000Z");
    await expect(test(list, after)).rejects.toMatchObject({
      message: expect.stringMatching(
        /^'since' must be .+ or earlier, the start of the last run that can be repeated \(got ".+"\)\.$/,
      ),
      details: { param: "since" },
    });
  });
});

describe("a back-test of a pipeline with renamed or additional steps", () => {
  const step = (id: string, ...routes: readonly Route[]) =>
    ({ id, scraper: "retailer_d.standard", routes }) as const;
  const pipeline = (...steps: Pipeline["steps"]): Pipeline => ({
    entry: steps[0]?.id ?? "",
    baseline: null,
    refresh: null,
    steps,
  });

  async function played(): Promise<(tested: Pipeline) => Promise<Tested>> {
    const bench = await startRunBench({ tables });
    const running = pipeline(step("check", { when: "changed", notify: true }));
    const list = await bench.createList(ids, { pipeline: running });
    const failed = { "10001": { status: "partial" }, "10002": { status: "unavailable" } } as const;
    for (const run of [1, 2]) {
      bench.answers.product = (id) =>
        (run === 2 ? failed[id as keyof typeof failed] : undefined) ?? answered(10 + run);
      await bench.run(list);
      bench.clock.advance(hour);
    }
    const watchlist = (await bench.list(list)) ?? list;
    return (candidate) => tested({ watchlist, pipeline: candidate, span: always }, bench);
  }

  const creditsOf = ({ runs }: Tested) => runs.map(({ run }) => run.credits);
  const matchedIn = ({ runs }: Tested) => runs.map(({ run }) => run.stats.matched);

  it("repeats the past failures of a scraper even if the pipeline gives the scraper's step another ID", async () => {
    const test = await played();
    for (const id of ["check", "s"]) {
      const result = await test(pipeline(step(id, { when: "failed", notify: true })));
      expect(matchedIn(result)).toEqual([0, 2]);
      expect(creditsOf(result)).toEqual([4, 2]);
      expect(result.unknownReads).toEqual([]);
    }
  });

  it("reads all items at an additional first step, and reports the second read of an item in a run as unknown", async () => {
    const test = await played();
    const result = await test(
      pipeline(
        step("a", { when: "failed", run: "check" }),
        step("check", { when: "changed", notify: true }),
      ),
    );
    expect(result.runs.map(({ run }) => run.stats.steps["a"]?.requested)).toEqual([4, 4]);
    expect(creditsOf(result)).toEqual([4, 2]);
    expect(result.unknownReads).toEqual([{ step: "check", reads: 2 }]);
  });

  it("does not charge the second read of an item in a run if the first read of the item in this run failed", async () => {
    const test = await played();
    const result = await test(
      pipeline(
        step("check", { when: "failed", run: "b" }),
        step("b", { when: "ok", notify: true }),
      ),
    );
    expect(creditsOf(result)).toEqual([4, 2]);
    expect(matchedIn(result)).toEqual([0, 0]);
    expect(result.unknownReads).toEqual([{ step: "b", reads: 2 }]);
  });

  it("defers a renamed step if the past run deferred the original step", async () => {
    const bench = await startRunBench({ tables });
    const running = pipeline(step("check", { when: "changed", notify: true }));
    const settings = { pipeline: running, maxCreditsPerRun: 3 };
    const list = await bench.createList(ids, settings);
    bench.answers.product = () => answered(10);
    await bench.run(list);
    const watchlist = (await bench.list(list)) ?? list;
    const { runs } = await tested(
      { watchlist, pipeline: pipeline(step("s")), span: always },
      bench,
    );
    expect(runs.map(({ run }) => [run.credits, run.stats.deferred])).toEqual([[0, 4]]);
  });

  it("defers the items that the past run deferred, even if the time of their addition is later than the start of this run", async () => {
    const bench = await startRunBench({ tables });
    const running = pipeline(step("check", { when: "changed", notify: true }));
    const list = await bench.createList(ids, { pipeline: running, maxCreditsPerRun: 3 });
    bench.clock.advance(-60_000);
    await bench.run(list);
    bench.clock.advance(hour);
    const watchlist = (await bench.list(list)) ?? list;
    const { runs } = await tested({ watchlist, pipeline: running, span: always }, bench);
    expect(runs.map(({ run }) => [run.stats.tracked, run.stats.deferred])).toEqual([[4, 4]]);
  });
});

describe("a back-test of a pipeline with a scraper that has never read the items", () => {
  it("returns the names of the fields that the history does not have", async () => {
    const bench = await startRunBench({ tables });
    const scan: Pipeline = {
      entry: "scan",
      baseline: null,
      refresh: null,
      steps: [{ id: "scan", scraper: "retailer_a.pulse", routes: [] }],
    };
    const list = await bench.createList(["B000000001"], { platform: "retailer_a", pipeline: scan });
    bench.answers.product = () => ({
      status: "ok",
      fields: { retailer_a: { newCount: 2, newMinPrice: 9 } },
    });
    await bench.run(list);
    const watchlist = await bench.list(list);
    if (watchlist === undefined) throw new Error("The watchlist does not exist");
    const lite: Pipeline = {
      ...scan,
      steps: [
        { id: "scan", scraper: "retailer_a.lite", routes: [{ when: "changed", notify: true }] },
      ],
    };
    const { unknownFields, unknownReads } = await tested(
      { watchlist, pipeline: lite, span: always },
      bench,
    );

    expect(unknownReads).toEqual([{ step: "scan", reads: 1 }]);
    expect(unknownFields).toContainEqual({ step: "scan", field: "price" });
    expect(unknownFields).not.toContainEqual({ step: "scan", field: "newCount" });
  });
});
