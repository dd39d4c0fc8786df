import { setTimeout as delay } from "node:timers/promises";
import { PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { reconcile, tallyLine } from "../../../tools/reconcile/reconcile.ts";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { accountKeys, deliveryKeys, watchlistKeys } from "../../../shared/aws/table/table.ts";
import type { Difference } from "../../../tools/reconcile/rules/difference.ts";
import { endpointTarget } from "../../../shared/outbox/outbox.ts";
import { newItem } from "../../../shared/watchlists/item.ts";
import { decodeItems, encodeItems } from "../../../shared/watchlists/page-codec.ts";
import {
  client,
  damage,
  deliveryOf,
  endpointId,
  found,
  ids,
  more,
  names,
  remove,
  rowAt,
  startWorld,
  withTables,
  type World,
} from "./world.ts";

withTables();

let world: World;
beforeEach(async () => {
  world = await startWorld();
});

it("reconcile reports no difference in rows that the service wrote, and returns how many rows it compared", async () => {
  const differences: Difference[] = [];
  const tally = await reconcile(client, names, {
    accountId: world.accountId,
    runsMax: 20,
    clock: world.bench.clock,
    report: (difference) => differences.push(difference),
  });

  expect(differences).toEqual([]);
  expect(tallyLine(tally)).toBe(
    "reconcile: 1 account, 14 ledger entries, 4 holds, 1 watchlist, 5 items, 3 runs, " +
      "1 pending delivery, 3 runs in the feed: no differences",
  );
});

describe("reconcile of accounts", () => {
  it("accepts a charge that was reversed on another day", async () => {
    const { accountId, bench } = world;
    const before = await bench.account();
    await bench.ledger.cancel({
      accountId,
      holdId: "req_done",
      now: new Date("2026-03-09T00:00:00Z"),
    });

    expect(await bench.account()).toMatchObject({ spent: before.spent - 3 });
    expect(await found(world)).toEqual([]);
  });

  it("reports a wrong number of API keys", async () => {
    const { accountId } = world;
    const item = { ...accountKeys.keyCount(accountId), key_count: 1 };
    await client.send(new PutCommand({ TableName: names.accounts, Item: item }));

    expect(await found(world)).toEqual([`${accountId}: key_count is 1, should be 0`]);
  });
});

describe("reconcile of watchlists", () => {
  const listKey = () => watchlistKeys.watchlist(world.accountId, world.list.id);
  const pageKey = () => watchlistKeys.page(world.list.id, "");

  it("reports a wrong item counter", async () => {
    await client.send(
      new UpdateCommand({
        TableName: names.watchlists,
        Key: { ...listKey() },
        UpdateExpression: "SET item_counts.active = item_counts.active + :one",
        ExpressionAttributeValues: { ":one": 1 },
      }),
    );

    expect(await found(world)).toEqual([`${world.list.id}: item_counts.active is 5, should be 4`]);
  });

  it("reports an item ID that occurs twice in a stored page", async () => {
    await damage(names.watchlists, pageKey(), (row) => {
      const items = decodeItems(row["items"] as Uint8Array);
      return { items: encodeItems(items.flatMap((item, n) => (n === 2 ? [item, item] : [item]))) };
    });

    expect(await found(world)).toEqual([
      `${world.list.id} page "": item ${ids[2]} is in the page twice, should be in the page once`,
    ]);
  });

  it("reports stored pages with overlapping ranges of IDs, and a missing last page", async () => {
    await damage(names.watchlists, pageKey(), () => ({ upper: "2000000" }));
    expect(await found(world)).toEqual([
      `${world.list.id} page "2000000": row is missing, should be the next page`,
    ]);

    const late = newItem("3000000", "2026-03-01T00:00:00.000Z");
    await client.send(
      new PutCommand({
        TableName: names.watchlists,
        Item: {
          ...watchlistKeys.page(world.list.id, "1500000"),
          version: 1,
          counts: { new: 1, active: 0, delisted: 0 },
          items: encodeItems([late]),
        },
      }),
    );
    await damage(names.watchlists, listKey(), (row) => ({
      ...more("item_total", 1)(row),
      item_counts: { new: 1, active: 4, delisted: 1 },
    }));
    expect(await found(world)).toEqual([
      `${world.list.id} page "1500000": lowest is 1500000, should be 2000000`,
    ]);
  });

  it("reports an active watchlist that is missing in the due index of the sweeper", async () => {
    const row = await rowAt(names.watchlists, listKey());
    const { due_kind: _kind, due_at: dueAt, ...rest } = row;
    await client.send(new PutCommand({ TableName: names.watchlists, Item: rest }));

    expect(await found(world)).toEqual([
      `${world.list.id}: due_at is null, should be ${String(dueAt)}`,
    ]);
  });

  it("reports a wrong number of watchlists of an account", async () => {
    const key = watchlistKeys.count(world.accountId);
    await damage(names.watchlists, key, () => ({ watchlists: 2 }));

    expect(await found(world)).toEqual([`${world.accountId}: watchlists is 2, should be 1`]);
  });
});

describe("reconcile of runs", () => {
  const runKey = (number: number) => watchlistKeys.run(world.list.id, number);

  it("reports run stats that differ from the records of the run's steps", async () => {
    await damage(names.watchlists, runKey(3), ({ stats }) => ({
      stats: { ...(stats as Row), delisted: 2 },
    }));

    expect(await found(world)).toEqual([`${world.list.id} run 3: delisted is 2, should be 1`]);
  });

  it("reports credits that a run counted and the ledger did not charge", async () => {
    await damage(names.watchlists, runKey(2), more("credits", 1));

    expect(await found(world)).toEqual([
      `${world.list.id} run 2: credits is 6, should be 5`,
      `${world.list.id} run 2: credits (compared with the ledger) is 6, should be 5`,
    ]);
  });

  it("reports a batch without a result", async () => {
    const { bench, list } = world;
    const run = await bench.lastRun(list);
    const [step] = await bench.steps.list(run.id);
    const batch = { step: "check", plan: String(step?.plan), number: 2 };
    await remove(names.watchlists, watchlistKeys.result(run.id, batch));

    expect(await found(world)).toEqual([
      `${list.id} run 3 step check row: batches recorded is 2, should be 3`,
      `${list.id} run 3 step check row: requested is 5, should be 4`,
      `${list.id} run 3 step check row: ok is 3, should be 2`,
      `${list.id} run 3 step check row: credits is 4, should be 3`,
    ]);
  });

  it("reports a missing run, and a watchlist whose row has a finished run as its run in progress", async () => {
    await remove(names.watchlists, runKey(1));
    await damage(names.watchlists, watchlistKeys.watchlist(world.accountId, world.list.id), () => ({
      running_run: 3,
    }));

    expect(await found(world)).toEqual([
      `${world.list.id} run 1: row is missing, should be present`,
      `${world.list.id}: running_run is 3, should be null`,
    ]);
  });
});

describe("reconcile of deliveries", () => {
  it("reports a pending delivery without an outbox entry", async () => {
    const { accountId } = world;
    const { id } = deliveryOf(world);
    const target = endpointTarget(accountId, endpointId);
    const { requested_at: dueAt } = await rowAt(
      names.deliveries,
      deliveryKeys.delivery(accountId, id),
    );
    const entry = { lane: "later" as const, dueAt: String(dueAt), key: id };
    await remove(names.deliveries, deliveryKeys.outboxEntry(target, entry));

    expect(await found(world)).toEqual([
      `${accountId} ${id}: outbox entry due ${String(dueAt)} is missing, should be present`,
    ]);
  });

  it.each([
    ["no due mark", () => ({})],
    ["only a due time, without a kind", (dueAt: unknown) => ({ due_at: dueAt })],
    ["a due mark of an unknown kind", (dueAt: unknown) => ({ due_kind: "?", due_at: dueAt })],
  ])(
    "reports a delivery target that has pending deliveries and no valid due mark (it has %s)",
    async (_, mark) => {
      const { accountId } = world;
      const key = deliveryKeys.outbox(endpointTarget(accountId, endpointId));
      const { due_at: dueAt } = await rowAt(names.deliveries, key);
      const Item = { ...key, additions: 1, ...mark(dueAt) };
      await client.send(new PutCommand({ TableName: names.deliveries, Item }));

      expect(await found(world)).toEqual([
        `${accountId} outbox ${endpointId}: due_at is null, should be ${String(dueAt)}`,
      ]);
    },
  );

  it.each([1, 2, 3])("reports that the run %i is missing in the event feed", async (sequence) => {
    await remove(names.deliveries, deliveryKeys.feedEntry(world.accountId, sequence));

    expect(await found(world)).toEqual([
      `${world.accountId} feed run ${sequence}: row is missing, should be present`,
    ]);
  });
});

it("reconcile reports no difference while the account makes calls", async () => {
  const { bench, accountId } = world;
  const work = { isOver: false, calls: 0 };
  const call = async (process: number): Promise<void> => {
    for (let n = 0; !work.isOver; n += 1) {
      const holdId = `req_${process}_${n}`;
      const now = bench.clock.now();
      const expiresAt = new Date(now.getTime() + 600_000);
      const source = { requestId: holdId };
      await bench.ledger.reserve({
        accountId,
        holdId,
        credits: 2,
        slot: true,
        source,
        now,
        expiresAt,
      });
      await bench.ledger.settle({ accountId, holdId, credits: 1, succeeded: true, now });
      work.calls += 1;
      // A process makes one call at a time, and does other work between two calls.
      await delay(10);
    }
  };
  const callers = Promise.all([call(1), call(2), call(3)]);
  try {
    for (let n = 0; n < 5; n += 1) expect(await found(world)).toEqual([]);
  } finally {
    work.isOver = true;
    await callers;
  }

  expect(work.calls).toBeGreaterThan(20);
});
