import { GetCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { watchlistKeys } from "../../../../shared/aws/table/table.ts";
import { dynamoBacktestStore } from "../../../../shared/aws/backtest/backtest-store.ts";
import { type BacktestJob, newBacktestJob } from "../../../../shared/backtest/backtest-job.ts";
import type { BacktestStore } from "../../../../shared/backtest/backtest-store.ts";
import { defaultPipeline } from "../../../../shared/pipelines/default.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";

const hour = 3_600_000;
const tables = openTables();
let table: string;
let clock: ReturnType<typeof fixedClock>;
let store: BacktestStore;
beforeEach(async () => {
  table = await tables.create();
  clock = fixedClock("2026-03-01T10:00:00.000Z");
  store = dynamoBacktestStore(tables.client, { table, clock, random: countingRandom() });
});

const aJob = (id: string, watchlistId = "wl_1"): BacktestJob =>
  newBacktestJob(
    {
      accountId: "acct_1",
      watchlistId,
      id,
      pipeline: defaultPipeline("retailer_d", 0),
      span: { since: "2026-02-01T00:00:00.000Z", until: "2026-03-01T00:00:00.000Z" },
    },
    clock.now(),
  );
const result = {
  object: "watchlist_backtest" as const,
  watchlist_id: "wl_1",
  pipeline: { steps: [] },
  total: { runs: 1, items: 2, credits: 2, events: {} },
  runs: [],
  samples: [],
  unknown_fields: [],
  removed_items: 0,
} as unknown as NonNullable<BacktestJob["result"]>;

describe("the store of back-tests", () => {
  it("returns a back-test job with the same values as at its creation", async () => {
    const job = aJob("bt_1");
    expect(await store.create(job)).toEqual({ outcome: "created" });
    expect(await store.get(job)).toEqual(job);
  });

  it("returns the progress of a job, and the result of the job when the job is done", async () => {
    const job = aJob("bt_1");
    await store.create(job);
    expect(await store.recordProgress(job, { runsDone: 3, runs: 8 })).toBe(true);
    expect(await store.get(job)).toMatchObject({
      status: "running",
      progress: { runsDone: 3, runs: 8 },
    });
    clock.advance(hour);
    await store.end(job, { status: "done", result });
    expect(await store.get(job)).toMatchObject({
      status: "done",
      endedAt: "2026-03-01T11:00:00.000Z",
      result,
      error: null,
    });
  });

  it("keeps the first stored result or error of a job, and ignores a later result or error", async () => {
    const job = aJob("bt_1");
    await store.create(job);
    await store.end(job, { status: "failed", error: "Why." });
    await store.end(job, { status: "done", result });
    expect(await store.recordProgress(job, { runsDone: 3, runs: 8 })).toBe(false);
    expect(await store.get(job)).toMatchObject({ status: "failed", error: "Why.", result: null });
  });

  it("allows the next job of an account if the process dies right after a job has ended", async () => {
    const job = aJob("bt_1");
    await store.create(job);
    let requests = 0;
    const dying = watchedClient(tables.client, async (_, send) => {
      requests += 1;
      if (requests > 1) throw new Error("the process died");
      return send();
    });
    const options = { table, clock, random: countingRandom() };
    await dynamoBacktestStore(dying, options).end(job, { status: "done", result });

    expect(await store.get(job)).toMatchObject({ status: "done", result });
    expect(await store.create(aJob("bt_2"))).toEqual({ outcome: "created" });
  });

  it("refuses a second job of an account while the account's first job is in progress", async () => {
    const [first, second] = [aJob("bt_1"), aJob("bt_2", "wl_2")];
    await store.create(first);
    expect(await store.create(second)).toEqual({ outcome: "busy", id: "bt_1" });
    expect(await store.get(second)).toBeUndefined();
    await store.end(first, { status: "failed", error: "Why." });
    expect(await store.create(second)).toEqual({ outcome: "created" });
  });

  it("accepts a second job of an account if the first job is still in progress after two hours", async () => {
    const first = aJob("bt_1");
    await store.create(first);
    clock.advance(2 * hour);
    expect(await store.create(aJob("bt_2"))).toEqual({ outcome: "created" });
    await store.end(first, { status: "failed", error: "Why." });
    expect(await store.create(aJob("bt_3"))).toEqual({ outcome: "busy", id: "bt_2" });
  });

  it("writes nothing for a job of a purged watchlist", async () => {
    const job = aJob("bt_1");
    expect(await store.recordProgress(job, { runsDone: 3, runs: 8 })).toBe(false);
    await store.end(job, { status: "done", result });
    const { Item } = await tables.client.send(
      new GetCommand({ TableName: table, Key: watchlistKeys.backtest("wl_1", "bt_1") }),
    );
    expect(Item).toBeUndefined();
  });

  it("does not return a job that was created more than seven days ago", async () => {
    const job = aJob("bt_1");
    await store.create(job);
    clock.advance(7 * 24 * hour - 1);
    expect(await store.get(job)).toEqual(job);
    clock.advance(1);
    expect(await store.get(job)).toBeUndefined();
  });
});
