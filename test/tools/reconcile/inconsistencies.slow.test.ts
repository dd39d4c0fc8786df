/**
 * Tests that `reconcile` reports each inconsistency of the rows exactly once, and reports nothing
 * else.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { reconcile, tallyLine, noCounts } from "../../../tools/reconcile/reconcile.ts";
import { hashApiKey } from "../../../shared/accounts/api-key.ts";
import { createApiKey } from "../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../shared/aws/accounts/account-store.ts";
import { dynamoApiKeyStore } from "../../../shared/aws/accounts/api-key-store.ts";
import { dueAt } from "../../../shared/aws/table/due-partitions.ts";
import type { Row } from "../../../shared/aws/table/dynamo.ts";
import { dynamoEventFeed } from "../../../shared/aws/deliveries/event-feed.ts";
import { dynamoOutbox } from "../../../shared/aws/deliveries/outbox.ts";
import {
  accountKeys,
  deliveryKeys,
  ledgerKeys,
  type RowKey,
  watchlistKeys,
} from "../../../shared/aws/table/table.ts";
import { endpointTarget } from "../../../shared/outbox/outbox.ts";
import { runEntry } from "../../../shared/webhooks/outbox-entries.ts";
import { countingRandom } from "../../support/clock.ts";
import {
  add,
  type Change,
  client,
  deliveryOf,
  endedAt,
  endpointId,
  found,
  deleted,
  names,
  differencesAfter as differencesAfterIn,
  put,
  remove,
  rowAt,
  set,
  startWorld,
  without,
  withTables,
  type World,
} from "./world.ts";

withTables();

const farOff = "2099-01-01T00:00:00.000Z";
const longAgo = "2026-01-01T00:00:00.000Z";

let world: World;
let key: { readonly id: string; readonly key: string };
beforeAll(async () => {
  world = await startWorld();
  const { bench } = world;
  const tables = { accounts: names.accounts, ledger: names.ledger };
  key = await createApiKey(
    { account: await bench.account(), name: "server" },
    {
      accounts: dynamoAccountStore(client, tables),
      clock: bench.clock,
      random: countingRandom(5),
    },
  );
});

type Place = readonly [table: string, key: RowKey];

/**
 * Changes rows of the world, returns the differences that a reconciliation then finds, and restores
 * the rows.
 */
const differencesAfter = (
  places: Parameters<typeof differencesAfterIn>[1],
  which?: "account" | "everything",
): Promise<string[]> => differencesAfterIn(world, places, which);

const account = (): Place => [names.accounts, accountKeys.account(world.accountId)];
const listRow = (): Place => [
  names.watchlists,
  watchlistKeys.watchlist(world.accountId, world.list.id),
];
const runRow = (number: number): Place => [
  names.watchlists,
  watchlistKeys.run(world.list.id, number),
];
const lookup = (): Place => [names.accounts, accountKeys.keyHash(hashApiKey(key.key))];
const listing = (): Place => [names.accounts, accountKeys.key(world.accountId, key.id)];
const feedEntry = (n: number): Place => [
  names.deliveries,
  deliveryKeys.feedEntry(world.accountId, n),
];
const feedRun = (n: number): Place => {
  const run = world.runs[n - 1];
  const at = { createdAt: endedAt(run), runId: String(run?.id) };
  return [names.deliveries, deliveryKeys.feedRun(world.accountId, at)];
};
const feedCount = (): Place => [names.deliveries, deliveryKeys.feedCount(world.accountId)];
const delivery = (n: number): Place => {
  const { id } = deliveryOf(world, world.runs[n - 1]);
  return [names.deliveries, deliveryKeys.delivery(world.accountId, id)];
};
const outbox = (): Place => [
  names.deliveries,
  deliveryKeys.outbox(endpointTarget(world.accountId, endpointId)),
];
const runId = (n: number): string => String(world.runs[n - 1]?.id);

it("reconcile reports no difference if no row is damaged", async () => {
  expect(await found(world)).toEqual([]);
  expect(await found(world, "everything")).toEqual([]);
});

describe("reconcile of tables that were restored to different times", () => {
  it("reports a watchlist whose newest runs are missing", async () => {
    for (const count of [2, 0]) {
      expect(await differencesAfter([[...listRow(), set({ run_count: count })]])).toEqual([
        `${world.list.id}: run_count is ${count}, should be 3`,
      ]);
    }
  });

  it("reports a counter of the event feed that is missing, or lower than the number of runs in the feed", async () => {
    const place = `${world.accountId} feed`;
    expect(await differencesAfter([[...feedCount(), set({ last: 2 })]])).toEqual([
      `${place}: count is 2, should be 3`,
    ]);
    expect(await differencesAfter([[...feedCount(), deleted]])).toEqual([
      `${place}: count is 0, should be 3`,
    ]);
  });

  it("reports a run that is missing in the event feed", async () => {
    const lost = [
      [...feedEntry(3), deleted],
      [...feedRun(3), deleted],
      [...delivery(3), deleted],
    ] as const;
    expect(await differencesAfter([...lost, [...feedCount(), set({ last: 2 })]])).toEqual([
      `${world.list.id} run 3: run in the feed is missing, should be present`,
    ]);
  });
});

describe("reconcile of unreadable rows", () => {
  it("names a watchlist with an unreadable row, and continues", async () => {
    const { id } = deliveryOf(world, world.runs[1]);
    const pending = set({ state: "pending", next_attempt_at: null });
    const wrong = [...delivery(2), pending] as const;
    expect(await differencesAfter([[...listRow(), without("item_counts")], wrong])).toEqual([
      `${world.list.id}: row is unreadable, should be readable`,
      `${world.accountId} ${id}: next_attempt_at is null, should be a time`,
    ]);
  });

  it("names a run with an unreadable row", async () => {
    for (const number of [3, 1]) {
      expect(await differencesAfter([[...runRow(number), without("stats")]])).toEqual([
        `${world.list.id} run ${number}: row is unreadable, should be readable`,
      ]);
    }
  });

  it("names a run with unreadable results", async () => {
    const { bench, list } = world;
    const [step] = await bench.steps.list(runId(3));
    const batch = { step: "check", plan: String(step?.plan), number: 1 };
    const result = watchlistKeys.result(runId(3), batch);
    const cut: Change = (row) =>
      Object.fromEntries(
        Object.entries(row).map(([name, value]) => [
          name,
          value instanceof Uint8Array ? value.slice(0, 8) : value,
        ]),
      );
    expect(await differencesAfter([[names.watchlists, result, cut]])).toEqual([
      `${list.id} run 3 results: row is unreadable, should be readable`,
    ]);
  });

  it("names an account with unreadable endpoints, and continues", async () => {
    const at = deliveryKeys.endpoint(world.accountId, endpointId);
    expect(
      await differencesAfter([
        [names.deliveries, at, without("enabled")],
        [...feedRun(2), deleted],
      ]),
    ).toEqual([
      `${world.accountId} endpoints: row is unreadable, should be readable`,
      `${world.accountId} feed run 2: row by end time is missing, should be present`,
    ]);
  });
});

describe("reconcile of events", () => {
  it("reports a run whose events are neither delivered to a subscribed endpoint nor pending for this endpoint", async () => {
    expect(await differencesAfter([[...delivery(2), deleted]])).toEqual([
      `${world.accountId} ${endpointId}: delivery log of ${runId(2)} is missing, should be watchlist.run.completed`,
    ]);
  });

  it("ignores a missing delivery if the endpoint has since changed or does not select the event's type", async () => {
    const at = deliveryKeys.endpoint(world.accountId, endpointId);
    for (const change of [
      { updated_at: world.bench.clock.now().toISOString() },
      { enabled: false },
      { events: ["watchlist.product.delisted"] },
    ]) {
      const endpoint = [names.deliveries, at, set(change)] as const;
      expect(await differencesAfter([[...delivery(2), deleted], endpoint])).toEqual([]);
    }
  });

  it("ignores a run whose delivery to an endpoint is pending", async () => {
    const target = endpointTarget(world.accountId, endpointId);
    const before = await rowAt(...outbox());
    const run = { runId: runId(2), watchlistId: world.list.id, types: null };
    const entry = runEntry({ ...run, happenedAt: endedAt(world.runs[1]) });
    const options = { tableName: names.deliveries, clock: world.bench.clock };
    await dynamoOutbox(client, { ...options, random: countingRandom() }).add(target, [entry]);
    expect(await differencesAfter([[...delivery(2), deleted]])).toEqual([]);
    await remove(names.deliveries, deliveryKeys.outboxEntry(target, entry));
    await put(names.deliveries, before);
  });

  it("reports a feed entry with the ID of another run, and a run without a feed entry at its time", async () => {
    const other = (): Change => set({ run_id: runId(2) });
    expect(await differencesAfter([[...feedEntry(3), other()]])).toEqual([
      `${world.accountId} feed run 3: run_id is ${runId(2)}, should be ${runId(3)}`,
    ]);
    expect(await differencesAfter([[...feedRun(2), deleted]])).toEqual([
      `${world.accountId} feed run 2: row by end time is missing, should be present`,
    ]);
  });

  it("reports a pending delivery without a due time", async () => {
    const { id } = deliveryOf(world, world.runs[1]);
    const change = set({ state: "pending", next_attempt_at: null });
    expect(await differencesAfter([[...delivery(2), change]])).toEqual([
      `${world.accountId} ${id}: next_attempt_at is null, should be a time`,
    ]);
  });
});

describe("reconcile of due times", () => {
  const outOf = (place: string, field: string, stored: string) =>
    expect.stringMatching(
      new RegExp(`^${place}: ${field} is ${stored}, should be 20\\S+ (to 20\\S+|or before)$`),
    );

  it("reports a watchlist whose due time is years in the future or months in the past", async () => {
    for (const time of [farOff, longAgo]) {
      const change = set({ next_run_at: time, due_at: time });
      expect(await differencesAfter([[...listRow(), change]])).toEqual([
        outOf(world.list.id, "next_run_at", time),
      ]);
    }
  });

  it("reports a due time of a watchlist that does not match the watchlist's cron schedule", async () => {
    const monthly = { type: "cron", cron: "0 0 1 * *", timezone: "UTC" };
    const due = (time: string) => set({ schedule: monthly, next_run_at: time, due_at: time });
    expect(await differencesAfter([[...listRow(), due("2026-04-01T00:00:00.000Z")]])).toEqual([]);
    expect(await differencesAfter([[...listRow(), due("2026-05-01T00:00:00.000Z")]])).toEqual([
      outOf(world.list.id, "next_run_at", "2026-05-01T00:00:00.000Z"),
    ]);
  });

  it("reports a run in progress with a next check that is far in the future, long past or missing in the due index", async () => {
    const { list, bench } = world;
    const reading = { phase: "reading", status: "running", finished_at: null };
    const running = [...listRow(), set({ running_run: 3, last_run_status: "running" })] as const;
    const due = dueAt("run", runRow(3)[1], bench.clock.now());
    const stuck = { ...reading, ...due, progress_at: longAgo };
    expect(await differencesAfter([[...runRow(3), set(stuck)], running])).toEqual([]);
    for (const time of [farOff, longAgo]) {
      const change = set({ ...stuck, due_at: time });
      expect(await differencesAfter([[...runRow(3), change], running])).toEqual([
        outOf(`${list.id} run 3`, "due_at", time),
      ]);
    }
    const change = set({ ...reading, due_kind: due.due_kind });
    expect(await differencesAfter([[...runRow(3), change], running])).toEqual([
      `${list.id} run 3: due_mark is false, should be true`,
    ]);
  });

  it("reports a lease that never ends, and a leased delivery target with a late due time", async () => {
    const place = `${world.accountId} outbox ${endpointId}`;
    const forever = set({ lease: "dead", lease_until: farOff, due_at: farOff });
    expect(await differencesAfter([[...outbox(), forever]])).toEqual([
      outOf(place, "lease_until", farOff),
    ]);
    const now = world.bench.clock.now().toISOString();
    const late = set({ lease: "alive", lease_until: now, due_at: farOff });
    expect(await differencesAfter([[...outbox(), late]])).toEqual([outOf(place, "due_at", farOff)]);
  });
});

describe("reconcile of accounts and keys", () => {
  it("reports an account whose row is missing", async () => {
    const lines = [`${world.accountId}: row is missing, should be present`];
    expect(await differencesAfter([[...account(), deleted]])).toEqual(lines);
    expect(await differencesAfter([[...account(), deleted]], "account")).toEqual(lines);
  });

  it("reports a shard with pages but without its row", async () => {
    const page = { records: [], balance_before: 0, sequence_before: 0 };
    await put(names.ledger, { ...page, ...ledgerKeys.page("acct_lost", 1, 1) });
    expect(await found(world, "everything")).toEqual([
      "acct_lost: row is missing, should be present",
    ]);
    await remove(names.ledger, ledgerKeys.page("acct_lost", 1, 1));
  });

  it("reports an account row without an ID, and still compares the other fields of the row", async () => {
    const id = world.accountId;
    const change: Change = (row) => add("received", 1)(without("id")(row) ?? {});
    const { received } = await rowAt(...account());
    for (const which of ["account", "everything"] as const) {
      expect(await differencesAfter([[...account(), change]], which)).toEqual([
        `${id}: id is null, should be ${id}`,
        `${id}: received is ${Number(received) + 1}, should be ${String(received)}`,
      ]);
    }
  });

  it("reports an API key whose lookup row is missing, revoked or of another account", async () => {
    const place = `${world.accountId} ${key.id}: lookup`;
    for (const [change, what] of [
      [set({ account_id: "acct_other" }), "that of acct_other"],
      [deleted, "missing"],
      [set({ revoked_at: longAgo }), "revoked"],
    ] as const) {
      expect(await differencesAfter([[...lookup(), change]])).toEqual([
        `${place} is ${what}, should be present`,
      ]);
    }
  });

  it("reports an API key that admits calls although no account lists it", async () => {
    const counter = [names.accounts, accountKeys.keyCount(world.accountId)] as const;
    const count = [...counter, set({ key_count: 0 })] as const;
    expect(await differencesAfter([[...listing(), deleted], count])).toEqual([
      `${world.accountId} ${key.id}: listing of a valid key is missing, should be present`,
    ]);
    const revoked = [...lookup(), set({ revoked_at: longAgo })] as const;
    expect(await differencesAfter([[...listing(), deleted], count, revoked])).toEqual([]);
  });
});

describe("reconcile of step results", () => {
  it("reports a wrong number of tracked items", async () => {
    const change: Change = (row) => ({ ...row, stats: { ...(row["stats"] as Row), tracked: 9 } });
    expect(await differencesAfter([[...runRow(3), change]])).toEqual([
      `${world.list.id} run 3: tracked is 9, should be 5`,
    ]);
  });
});

it("reconcile reports no difference while other processes make calls and create and delete keys and events", async () => {
  const { bench, accountId, list } = world;
  const [owner, now] = [await bench.account(), bench.clock.now()];
  const [clock, random] = [bench.clock, countingRandom(6)];
  const accounts = dynamoAccountStore(client, { accounts: names.accounts });
  const keys = dynamoApiKeyStore(client, names.accounts);
  const feed = dynamoEventFeed(client, { tableName: names.deliveries, clock, random });
  const work = { isOver: false, rounds: 0 };
  const traffic = async (): Promise<void> => {
    for (; !work.isOver; work.rounds += 1) {
      const holdId = `req_busy_${work.rounds}`;
      const expiresAt = new Date(now.getTime() + 600_000);
      const source = { requestId: holdId };
      const reserved = { accountId, holdId, credits: 2, slot: true, source, now, expiresAt };
      await bench.ledger.reserve(reserved);
      const made = await createApiKey(
        { account: owner, name: "busy" },
        { accounts, clock, random },
      );
      await feed.append(accountId, {
        runId: `wlrun_busy_${work.rounds}`,
        watchlistId: list.id,
        webhookEndpointId: null,
        createdAt: now.toISOString(),
        types: ["watchlist.run.completed"],
      });
      await bench.ledger.settle({ accountId, holdId, credits: 1, succeeded: true, now });
      await keys.revoke(accountId, made.id, now);
    }
  };
  const busy = traffic();
  for (let n = 0; n < 5; n += 1) expect(await found(world, "everything")).toEqual([]);
  work.isOver = true;
  await busy;

  expect(work.rounds).toBeGreaterThan(10);
});

describe("reconcile of data that it cannot compare", () => {
  it("names watchlists whose counters change at every read, and does not count these watchlists as compared", () => {
    const moving = { ...noCounts(), accounts: 1, watchlists: 2, unsteady: 1, moving: ["wl_1"] };
    expect(tallyLine(moving)).toBe(
      "reconcile: 1 account, 2 watchlists: no differences in what was compared. NOT compared: " +
        "the counters of 1 watchlist (wl_1), because they kept changing. Run the command again.",
    );
  });

  it("refuses an unknown account ID", async () => {
    const request = { runsMax: 1, clock: world.bench.clock, report: () => {} };
    const asked = reconcile(client, names, { ...request, accountId: "acct_x" });
    await expect(asked).rejects.toThrow("Account acct_x does not exist. Check the ID and --stage.");
  });
});
