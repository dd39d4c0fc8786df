import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dynamoBacktestStore } from "../../../shared/aws/backtest/backtest-store.ts";
import { type BacktestRef, presentBacktestJob } from "../../../shared/backtest/backtest-job.ts";
import type { BacktestStore } from "../../../shared/backtest/backtest-store.ts";
import { runBacktestJob } from "../../../shared/backtest/run-backtest-job.ts";
import { startBacktest } from "../../../shared/backtest/start-backtest.ts";
import { limits } from "../../../shared/base/limits.ts";
import type { Pipeline } from "../../../shared/pipelines/definition.ts";
import { pipelineOf, type Watchlist } from "../../../shared/watchlists/watchlist.ts";
import { startRunBench, type RunBench } from "../../support/run-bench.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
/** Begins after the first run, so that the earlier prices of all items have to be read. */
const span = { since: "2026-03-01T00:30:00.000Z", until: "2027-01-01T00:00:00.000Z" };
const hour = 3_600_000;
/** One item more than a call accepts if it reads earlier prices. */
const ids = Array.from({ length: limits.backtest.call.tracedItemsMax + 1 }, (_, n) =>
  String(1_000_000 + n),
);
/** Notifies when a price is below the price of the previous read. */
const pipeline: Pipeline = {
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [
    {
      id: "check",
      scraper: "retailer_d.standard",
      routes: [
        {
          when: "ok",
          field: "price",
          op: "below",
          value: { field: "previousPrice" },
          notify: true,
        },
      ],
    },
  ],
};
let bench: RunBench;
let backtests: BacktestStore;
let list: Watchlist;
let sent: BacktestRef[];

beforeAll(async () => {
  bench = await startRunBench({ tables, credits: 1_000_000 });
  const created = await bench.createList(ids, { pipeline });
  for (const price of [11, 10, 9, 8]) {
    bench.answers.product = (id) => ({
      status: "ok",
      fields: { price: { amount: id === ids[0] ? price : 5, currency: "USD" } },
    });
    await bench.run(created);
    bench.clock.advance(hour);
  }
  const stored = await bench.list(created);
  if (stored === undefined) throw new Error("The watchlist does not exist");
  list = stored;
});
beforeEach(async () => {
  const options = { table: await tables.create(), clock: bench.clock, random: bench.random };
  backtests = dynamoBacktestStore(bench.table.client, options);
  sent = [];
});

const dependencies = () => ({
  ...bench,
  backtests,
  backtestQueue: { send: async (ref: BacktestRef) => void sent.push(ref) },
});
const start = () =>
  startBacktest({ watchlist: list, pipeline: pipelineOf(list), span }, dependencies());
const work = (changes: Partial<ReturnType<typeof dependencies>> = {}, until = "2027-01-01") => {
  const [ref] = sent;
  if (ref === undefined) throw new Error("No job was sent");
  return runBacktestJob({ ref, until: new Date(until) }, { ...dependencies(), ...changes });
};
const shown = async () => {
  const [ref] = sent;
  const job = ref && (await backtests.get(ref));
  if (job === undefined) throw new Error("The job does not exist");
  return presentBacktestJob(job, bench.clock.now());
};

describe("a back-test in a background job", () => {
  it("returns all runs of the time span, even if they are too many for one call", async () => {
    const started = await start();
    expect(started).toMatchObject({ outcome: "job", job: { status: "pending" } });
    expect(await shown()).toMatchObject({ status: "pending", progress: null, result: null });

    await work();
    expect(await shown()).toMatchObject({
      status: "done",
      progress: { runs_done: 1, runs: 3 },
      ended_at: bench.clock.now().toISOString(),
      error: null,
      result: {
        total: {
          runs: 3,
          items: 3 * ids.length,
          credits: 3 * ids.length,
          events: { "watchlist.product.matched": 3 },
        },
      },
    });
  });

  it("is refused while another job of the account is in progress", async () => {
    await start();
    await expect(start()).rejects.toMatchObject({
      status: 409,
      message: `The back-test ${sent[0]?.id} of this account is in progress. Wait until it has ended.`,
    });
    await work();
    await expect(start()).resolves.toMatchObject({ outcome: "job" });
  });

  it("fails if its queue message could not be sent, and a new job can then be started", async () => {
    const broken = { ...dependencies(), backtestQueue: { send: async () => reject() } };
    const request = { watchlist: list, pipeline: pipelineOf(list), span };
    await expect(startBacktest(request, broken)).rejects.toThrow("the queue is down");
    await expect(start()).resolves.toMatchObject({ outcome: "job" });
  });

  it("is not repeated if the queue message of the job is delivered again", async () => {
    await start();
    await work();
    const before = await shown();
    bench.clock.advance(hour);
    await work({ history: { ...bench.history, runs: () => reject() } });
    expect(await shown()).toEqual(before);
  });

  it("fails with a message to the client if the watchlist was deleted", async () => {
    await start();
    await work({ watchlists: { ...bench.watchlists, get: async () => undefined } });
    expect(await shown()).toMatchObject({
      status: "failed",
      error: "The watchlist was deleted while the back-test ran.",
    });
  });

  it("fails if the back-test takes too long, and its error states how many runs were repeated", async () => {
    await start();
    await work({}, "2026-03-01");
    expect(await shown()).toMatchObject({
      status: "failed",
      error: expect.stringContaining("Only 1 of 3 runs could be repeated in time."),
    });
  });

  it("fails without details for the client after an internal error, and reports the error to the operator", async () => {
    await start();
    const history = { ...bench.history, runs: () => reject() };
    await expect(work({ history })).rejects.toThrow("the queue is down");
    expect(await shown()).toMatchObject({
      status: "failed",
      error: "The back-test failed because of an error of the service. Start it again.",
    });
  });

  it("is returned as failed if the job has not ended after two hours", async () => {
    await start();
    bench.clock.advance(2 * hour - 1);
    expect(await shown()).toMatchObject({ status: "pending" });
    bench.clock.advance(1);
    expect(await shown()).toMatchObject({
      status: "failed",
      error: expect.stringContaining("did not end within 2 hours"),
    });
  });
});

function reject(): never {
  throw new Error("the queue is down");
}
