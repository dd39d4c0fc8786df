import { BatchWriteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { watchlistKeys } from "../../../shared/aws/table/table.ts";
import { purgeWatchlist } from "../../../shared/watchlists/purge-watchlist.ts";
import {
  type Answered,
  type WatchlistWorld,
  openWatchlistWorld,
} from "../../support/watchlist-world.ts";
import type { CrashPoint } from "../../support/crashing-ports.ts";
import { openTables } from "../../support/tables.ts";

const tables = openTables();
let world: WatchlistWorld;
beforeEach(async () => {
  world = await openWatchlistWorld(tables);
});

const ids = Array.from({ length: 2_500 }, (_, n) => String(1_000_000 + n));
const keyed = {
  body: { name: "Coffee", platform: "retailer_d", ids, every: "15m" },
  headers: { "Idempotency-Key": "order-1" },
};
const created = async (): Promise<string> => String((await world.ask("POST ", keyed)).json["id"]);
const remove = (id: string): Promise<Answered> => world.ask(`DELETE /${id}`);

/** Returns all rows except the account's count of watchlists, which stays and is 0. */
async function left(): Promise<readonly string[]> {
  const rows = await world.rows();
  expect(rows.find(({ sk }) => sk === "watchlists")?.["watchlists"]).toBe(0);
  return rows.filter(({ sk }) => sk !== "watchlists").map(({ pk, sk }) => `${pk} ${sk}`);
}

/** Runs one pass of the sweeper, which purges due watchlists. */
async function sweep(secondsMax = 60): Promise<void> {
  const now = world.clock.now();
  for (const watchlistId of await world.purges.due(now, 1_000)) {
    await purgeWatchlist(
      { watchlistId, until: new Date(now.getTime() + secondsMax * 1_000) },
      world,
    );
  }
}

/** Stores rows as finished runs leave them: the runs, their steps and their batches. */
async function putRuns(id: string, runs: number, batches: number): Promise<void> {
  const rows = Array.from({ length: runs }, (_, n) => {
    const runId = `wlrun_${id.slice(3, 20)}${n}`;
    return [
      { ...watchlistKeys.run(id, n + 1), id: runId, phase: "done" },
      { ...watchlistKeys.step(runId, "check") },
      ...Array.from({ length: batches }, (__, number) =>
        watchlistKeys.batch(runId, { step: "check", plan: "a", number }),
      ),
    ];
  }).flat();
  for (let start = 0; start < rows.length; start += 25) {
    const requests = rows.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }));
    await world.client.send(
      new BatchWriteCommand({ RequestItems: { [world.options.table]: requests } }),
    );
  }
}

describe("DELETE /v1/watchlists/{id}", () => {
  it("returns 200 and deletes the watchlist with its schedule, items, runs and idempotency key", async () => {
    const id = await created();
    await putRuns(id, 3, 4);

    const { status, json } = await remove(id);
    expect([status, json]).toEqual([200, { id, object: "watchlist", deleted: true }]);
    expect(await left()).toEqual([]);
    expect(world.scheduled.size).toBe(0);
    expect((await world.ask(`GET /${id}`)).status).toBe(404);
    expect((await world.ask("GET ")).json["data"]).toEqual([]);
  });

  it("returns 404 for a deleted watchlist, a watchlist of another account, and an unknown watchlist", async () => {
    const id = await created();

    expect((await world.ask(`DELETE /${id}`, { as: "stranger" })).status).toBe(404);
    expect((await remove(id)).status).toBe(200);
    expect((await remove(id)).status).toBe(404);
    expect((await remove("wl_1")).status).toBe(404);
    expect(await left()).toEqual([]);
  });

  it("returns 403 to a key of the demo workspace", async () => {
    expect((await world.ask("DELETE /wl_1", { as: "demo" })).status).toBe(403);
  });

  it("deletes the idempotency key, and a repeated request to create the watchlist then creates a new watchlist", async () => {
    const id = await created();
    await remove(id);

    const again = await world.ask("POST ", keyed);
    expect(again.status).toBe(201);
    expect(again.headers["Idempotent-Replayed"]).toBeUndefined();
    expect(again.json["id"]).not.toBe(id);
  });

  it("keeps an idempotency key that was later used to create another watchlist", async () => {
    const id = await created();
    world.clock.advance(25 * 3_600_000);
    const second = await world.ask("POST ", keyed);

    expect((await remove(id)).status).toBe(200);
    const replay = await world.ask("POST ", keyed);
    expect(replay.text).toBe(second.text);
    expect(replay.headers["Idempotent-Replayed"]).toBe("true");
  });

  it("decrements the account's number of watchlists exactly once if several calls delete the same watchlist at the same time", async () => {
    const id = await created();

    const statuses = (await Promise.all([remove(id), remove(id), remove(id)])).map(
      ({ status }) => status,
    );
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 404)).toHaveLength(2);
    expect(await left()).toEqual([]);
  });

  it("keeps the rows of a run in progress until the run finishes, and then removes these rows", async () => {
    const id = await created();
    expect((await world.ask(`POST /${id}/run`)).status).toBe(202);

    await remove(id);
    expect(world.scheduled.size).toBe(0);
    const waiting = (await left()).map((row) => row.split(" ")[1]?.split("#")[0]);
    expect(waiting).toEqual(["purge", "run"]);

    world.clock.advance(60_000);
    await sweep();
    expect(await left()).toHaveLength(2);

    await finished(id);
    await sweep();
    expect(await left()).toHaveLength(2);
    world.clock.advance(60_000);
    await sweep();
    expect(await left()).toEqual([]);
  });

  it("purges a long history in several attempts, each of limited duration", async () => {
    const id = await created();
    await putRuns(id, 60, 30);
    const now = world.clock.now();
    await world.watchlists.remove({ accountId: "acct_1", watchlistId: id, purgeAt: now });
    let attempts = 0;
    let outcome = "";
    // A clock that advances by a second each time it is read, so that an attempt runs out of time
    // before all rows are deleted.
    const clock = {
      ...world.clock,
      now: () => {
        world.clock.advance(1_000);
        return world.clock.now();
      },
    };
    while (outcome !== "purged") {
      attempts += 1;
      const until = new Date(world.clock.now().getTime() + 15_000);
      outcome = await purgeWatchlist({ watchlistId: id, until }, { ...world, clock });
      expect(attempts).toBeLessThan(100);
    }

    expect(attempts).toBeGreaterThan(3);
    expect(await left()).toEqual([]);
  });
});

describe("the purge of a watchlist", () => {
  it("deletes nothing while the watchlist exists", async () => {
    const id = await created();
    const before = await world.rows();

    const until = new Date(world.clock.now().getTime() + 60_000);
    for (const abandoned of [true, false]) {
      const request = { watchlistId: id, until, abandoned };
      expect(await purgeWatchlist(request, world)).toBe("nothing");
    }
    expect(await world.rows()).toEqual(before);
    expect(world.scheduled.size).toBe(1);
  });

  it("prevents the pending creation of the watchlist after the purge has begun", async () => {
    const now = world.clock.now();
    const later = new Date(now.getTime() + 60_000);
    expect(await world.purges.expectCreation({ accountId: "acct_1", id: "wl_1" }, later)).toBe(
      true,
    );
    expect(await world.purges.expectCreation({ accountId: "acct_1", id: "wl_1" }, later)).toBe(
      true,
    );
    const look = { now, nextCheck: later };
    expect(await world.purges.begin("wl_1", { ...look, abandoned: false })).toBe(false);
    expect(await world.purges.begin("wl_1", { ...look, abandoned: true })).toBe(true);

    expect(await world.purges.expectCreation({ accountId: "acct_1", id: "wl_1" }, later)).toBe(
      false,
    );
    expect(await world.purges.begin("wl_1", { ...look, abandoned: false })).toBe(true);
  });

  it("changes nothing if the purge is repeated", async () => {
    const id = await created();
    await remove(id);

    const until = new Date(world.clock.now().getTime() + 60_000);
    expect(await purgeWatchlist({ watchlistId: id, until }, world)).toBe("nothing");
  });

  it.each(
    Array.from({ length: 7 }, (_, n) => [
      { call: n + 1, when: "before" as const },
      { call: n + 1, when: "after" as const },
    ]).flat(),
  )(
    "is completed by the sweeper if the process that deletes the watchlist dies $when its external call number $call",
    async (point: CrashPoint) => {
      const id = await created();
      await putRuns(id, 2, 2);
      await world.process(point).ask(`DELETE /${id}`);
      if ((await world.ask(`GET /${id}`)).status === 200) await remove(id);

      world.clock.advance(120_000);
      await sweep();
      expect(await left()).toEqual([]);
      expect(world.scheduled.size).toBe(0);
    },
  );
});

async function finished(id: string): Promise<void> {
  const [run] = (await world.runs.list(id, 1)).runs;
  if (run === undefined) throw new Error("The watchlist has no run.");
  await world.runs.startFinishing(run, "completed", ["claimed"]);
  const ended = { ...run, finishedAt: world.clock.now().toISOString(), watchlist: null };
  expect(await world.runs.finish(ended, null)).toBe("finished");
  await world.runs.markEmitted(run);
}
