import { BatchWriteCommand, ScanCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { dynamoPurgeStore } from "../../../../shared/aws/watchlists/purge-store.ts";
import { type RowKey, watchlistKeys } from "../../../../shared/aws/table/table.ts";
import type { RunPhase } from "../../../../shared/runs/run.ts";
import type { PurgeStore } from "../../../../shared/watchlists/purge-store.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { openTables } from "../../../support/tables.ts";

const at = (minute: number): Date =>
  new Date(`2026-03-01T10:${String(minute).padStart(2, "0")}:00.000Z`);
const look = (minute: number, abandoned = false) => ({
  now: at(minute),
  nextCheck: at(minute + 1),
  abandoned,
});

const tables = openTables();
let table: string;
let store: PurgeStore;
beforeEach(async () => {
  table = await tables.create();
  const clock = fixedClock("2026-03-01T10:00:00Z");
  store = dynamoPurgeStore(tables.client, { table, clock, random: countingRandom() });
});

async function put(rows: readonly RowKey[]): Promise<void> {
  const puts = rows.map((row) => ({ PutRequest: { Item: { ...row } } }));
  for (let start = 0; start < puts.length; start += 25) {
    const RequestItems = { [table]: puts.slice(start, start + 25) };
    await tables.client.send(new BatchWriteCommand({ RequestItems }));
  }
}
const run = (watchlistId: string, number: number, phase: RunPhase) => ({
  ...watchlistKeys.run(watchlistId, number),
  id: `${watchlistId}_run${number}`,
  phase,
});
const step = (watchlistId: string, number: number, name: string) =>
  watchlistKeys.step(`${watchlistId}_run${number}`, name);
const keysLeft = async (): Promise<string[]> => {
  const { Items = [] } = await tables.client.send(
    new ScanCommand({ TableName: table, ConsistentRead: true }),
  );
  return Items.map(({ pk, sk }) => `${pk}/${sk}`).toSorted();
};

const listOf = (id: string) => ({ accountId: "acct_1", id });

describe("the purge mark that is written before the creation of a watchlist", () => {
  it("makes a purge of the watchlist due at the given time, and a later mark replaces this time", async () => {
    expect(await store.expectCreation(listOf("wl_1"), at(5))).toBe(true);
    expect(await store.due(at(4), 10)).toEqual([]);
    expect(await store.due(at(5), 10)).toEqual(["wl_1"]);

    expect(await store.expectCreation(listOf("wl_1"), at(8))).toBe(true);
    expect(await store.due(at(7), 10)).toEqual([]);
  });

  it("allows the purge to begin only at its due time, or immediately after the creation has failed", async () => {
    await store.expectCreation(listOf("wl_1"), at(5));
    expect(await store.begin("wl_1", look(4))).toBe(false);
    expect(await store.begin("wl_1", look(5))).toBe(true);

    await store.expectCreation(listOf("wl_2"), at(5));
    expect(await store.begin("wl_2", look(1, true))).toBe(true);
  });

  it("cannot be set again after the purge of the watchlist has begun", async () => {
    await store.expectCreation(listOf("wl_1"), at(0));
    await store.begin("wl_1", look(0));

    expect(await store.expectCreation(listOf("wl_1"), at(5))).toBe(false);
  });
});

describe("the purge of a watchlist's rows", () => {
  it("can be continued at any time after it has begun, and is due again at the time that the call of 'begin' sets", async () => {
    await store.expectCreation(listOf("wl_1"), at(0));
    await store.begin("wl_1", look(2));
    expect(await store.due(at(2), 10)).toEqual([]);
    expect(await store.due(at(3), 10)).toEqual(["wl_1"]);

    expect(await store.begin("wl_1", look(1))).toBe(true);
  });

  it("does not begin without a purge mark", async () => {
    expect(await store.begin("wl_1", look(0))).toBe(false);
    expect(await store.begin("wl_1", look(0, true))).toBe(false);
    expect(await keysLeft()).toEqual([]);
  });

  it("ends when the watchlist's purge mark is deleted", async () => {
    await store.expectCreation(listOf("wl_1"), at(0));
    await store.end("wl_1");
    await store.end("wl_1");

    expect(await store.due(at(9), 10)).toEqual([]);
    expect(await store.begin("wl_1", look(0, true))).toBe(false);
  });

  it("is listed with the other due purges, the longest due first, up to the requested number", async () => {
    await store.expectCreation(listOf("wl_1"), at(3));
    await store.expectCreation(listOf("wl_2"), at(1));
    await store.expectCreation(listOf("wl_3"), at(2));

    expect(await store.due(at(5), 2)).toEqual(["wl_2", "wl_3"]);
  });
});

describe("the result of dynamoPurgeStore.isRunning", () => {
  it("is true until every run of the watchlist is done", async () => {
    expect(await store.isRunning("wl_1")).toBe(false);
    await put([
      run("wl_1", 1, "done"),
      run("wl_1", 2, "emitting"),
      run("wl_1", 3, "done"),
      run("wl_2", 1, "done"),
    ]);

    expect(await store.isRunning("wl_1")).toBe(true);
    expect(await store.isRunning("wl_2")).toBe(false);
    await put([run("wl_1", 2, "done")]);
    expect(await store.isRunning("wl_1")).toBe(false);
  });
});

describe("dynamoPurgeStore.removeRows, which deletes the rows of a watchlist,", () => {
  const others = [run("wl_2", 1, "done"), step("wl_2", 1, "check"), watchlistKeys.page("wl_2", "")];

  it("removes all rows of the watchlist and of its runs except the purge mark, and no row of another watchlist", async () => {
    await store.expectCreation(listOf("wl_1"), at(0));
    const runs = Array.from({ length: 12 }, (_, n) => run("wl_1", n + 1, "done"));
    const steps = runs.flatMap((_, n) => [step("wl_1", n + 1, "a"), step("wl_1", n + 1, "b")]);
    // More rows of one run than one request returns.
    const results = Array.from({ length: 530 }, (_, number) =>
      watchlistKeys.result("wl_1_run3", { step: "a", plan: "p", number }),
    );
    await put([...runs, ...steps, ...results, watchlistKeys.page("wl_1", ""), ...others]);

    expect(await store.removeRows("wl_1", () => false)).toBe(true);
    expect(await keysLeft()).toEqual(
      [watchlistKeys.purge("wl_1"), ...others].map(({ pk, sk }) => `${pk}/${sk}`).toSorted(),
    );
  });

  it("stops when its time is over, and a later call deletes the remaining rows", async () => {
    await put([run("wl_1", 1, "done"), step("wl_1", 1, "a"), run("wl_1", 2, "done"), ...others]);

    expect(await store.removeRows("wl_1", () => true)).toBe(false);
    // A later attempt finds the remaining rows of a run only by the run's own row, so the purge must
    // delete this row last.
    expect(await keysLeft()).toContain("watchlist#wl_1/run#00000001");
    expect(await store.removeRows("wl_1", () => false)).toBe(true);
    expect(await keysLeft()).toHaveLength(others.length);
  });
});
