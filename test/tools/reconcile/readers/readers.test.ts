/**
 * Tests that the readers of reconcile return the rows that the stores have written, and change
 * nothing.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { hashApiKey } from "../../../../shared/accounts/api-key.ts";
import { createAccount, createApiKey } from "../../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../../shared/aws/accounts/account-store.ts";
import { dynamoAccountsReader } from "../../../../tools/reconcile/readers/accounts.ts";
import { dynamoLedgerReader } from "../../../../tools/reconcile/readers/ledger.ts";
import { dynamoDeliveriesReader } from "../../../../tools/reconcile/readers/deliveries.ts";
import { dynamoEventFeed } from "../../../../shared/aws/deliveries/event-feed.ts";
import { dynamoLedger } from "../../../../shared/aws/ledger/ledger.ts";
import { dynamoListsReader } from "../../../../tools/reconcile/readers/lists.ts";
import { dynamoOutbox } from "../../../../shared/aws/deliveries/outbox.ts";
import { dynamoRunStore } from "../../../../shared/aws/runs/run-store.ts";
import { dynamoShardsReader } from "../../../../tools/reconcile/readers/shards.ts";
import { destinationTarget, endpointTarget } from "../../../../shared/outbox/outbox.ts";
import { claimRun } from "../../../../shared/runs/claim-run.ts";
import { newItem } from "../../../../shared/watchlists/item.ts";
import { aWatchlist } from "../../../support/a-watchlist.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { putWatchlist } from "../../../support/put-watchlist.ts";
import { openTables } from "../../../support/tables.ts";

const start = "2026-03-01T00:00:00.000Z";
const clock = fixedClock(start);
const random = countingRandom();

const tables = openTables();
let table: string;
beforeEach(async () => {
  clock.set(start);
  table = await tables.create();
});

describe("dynamoLedgerReader, a reader of reconcile,", () => {
  it("returns accounts with their ledger entries, holds, daily usage and API keys", async () => {
    const names = { accountsTable: table, ledgerTable: await tables.create() };
    const stores = { accounts: names.accountsTable, ledger: names.ledgerTable };
    const accounts = dynamoAccountStore(tables.client, stores);
    const account = await createAccount(
      { name: "Acme", email: "a@acme.example" },
      { accounts, clock, random },
    );
    const { id: accountId } = account;
    const key = await createApiKey({ account, name: "server" }, { accounts, clock, random });
    await accounts.admit(hashApiKey(key.key), clock.now());
    const ledger = dynamoLedger(tables.client, { ...names, clock, random });
    const now = clock.now();
    const expiresAt = new Date("2026-03-01T00:01:00.000Z");
    for (const holdId of ["h1", "h2"]) {
      const source = { requestId: holdId };
      await ledger.reserve({ accountId, holdId, credits: 10, slot: true, source, now, expiresAt });
    }
    await ledger.settle({ accountId, holdId: "h1", credits: 4, succeeded: true, now });
    const reader = dynamoLedgerReader(tables.client, names);

    const lines = await reader.accounts();
    expect(lines).toMatchObject([{ id: accountId, name: "Acme", balance: 4_986, shards: 1 }]);
    const sums = { lifetime: 5_000, received: 5_000, shards: 1 };
    expect(await reader.account(accountId)).toEqual({ accountId, id: accountId, ...sums });
    expect(await reader.account("acct_none")).toBeUndefined();
    expect(await reader.oldSums(accountId)).toBeUndefined();
    expect(await Array.fromAsync(reader.holds(accountId))).toEqual([]);
    expect(await Array.fromAsync(reader.openHolds({ id: accountId, shards: 1 }))).toEqual([
      { holdId: "h2", credits: 10, createdAt: start, expiresAt: expiresAt.toISOString() },
    ]);
    expect(await Array.fromAsync(reader.usage(accountId))).toEqual([]);
    const shards = dynamoShardsReader(tables.client, names);
    const first = { accountId, number: 0 };
    const row = { balance: 4_986, held: 10, spent: 4, slots: 5, sequence: 5 };
    expect(await shards.shard(first)).toMatchObject({ ...row, dueAt: expiresAt.toISOString() });
    expect(await shards.shard({ accountId, number: 1 })).toBeUndefined();
    expect(await Array.fromAsync(shards.pages(first, {}))).toEqual([]);
    expect(await Array.fromAsync(shards.usage(first))).toEqual([]);
    expect(await shards.beyond(accountId, 1)).toEqual([]);
    const lookups = new Map([[key.id, "present"]]);
    expect(await reader.keys(accountId)).toEqual({ count: 1, lookups });
    const everyone = dynamoAccountsReader(tables.client, names);
    const { balance: _balance, ...line } = lines[0] ?? { balance: 0 };
    expect(await everyone.account(accountId)).toEqual(line);
    expect(await everyone.account("acct_none")).toBeUndefined();
    expect(await everyone.hasRows(accountId)).toBe(true);
    expect(await everyone.hasRows("acct_none")).toBe(false);
    expect(await everyone.shardsBeyond({ id: accountId, shards: 1 })).toEqual([]);
    expect(await everyone.shardsBeyond({ id: accountId, shards: 0 })).toEqual([0]);
    expect(await Array.fromAsync(everyone.ledgers())).toEqual([]);
    const rows = await Array.fromAsync(everyone.everyRow());
    const live = { hash: hashApiKey(key.key), keyId: key.id, accountId };
    expect(rows).toContainEqual({ kind: "account", account: line });
    expect(rows).toContainEqual({ kind: "below", accountId, shard: null });
    expect(rows).toContainEqual({ kind: "below", accountId, shard: 0 });
    expect(rows).toContainEqual({ kind: "key", key: live });
    expect(await everyone.isUnlisted(live)).toBe(false);
    expect(await everyone.isUnlisted({ ...live, accountId: "acct_none" })).toBe(true);
  });
});

describe("dynamoListsReader, a reader of reconcile,", () => {
  it("returns watchlists with their stored pages, counters and runs, the newest run first", async () => {
    const options = { table, clock, random };
    const items = ["10001", "10002"].map((id) => newItem(id, start));
    const list = aWatchlist({ itemCounts: { new: 2, active: 0, delisted: 0 } });
    await putWatchlist({ client: tables.client, ...options }, list, items);
    const due = clock.now();
    const request = { watchlist: list, trigger: "schedule", due, now: due } as const;
    const run = await claimRun(request, dynamoRunStore(tables.client, options));
    const reader = dynamoListsReader(tables.client, table);
    const { accountId, id } = list;

    expect(await reader.listCount(accountId)).toBe(1);
    expect(await reader.listCount("acct_2")).toBe(0);
    const stored = await Array.fromAsync(reader.lists(accountId));
    expect(stored).toMatchObject([
      { watchlist: { id, runningRun: 1 }, itemTotal: 2, dueAt: "2026-03-01T01:00:00.000Z" },
    ]);
    expect(await reader.list(accountId, id)).toEqual(stored[0]);
    expect(await reader.counts(accountId, id)).toEqual({ counts: list.itemCounts, total: 2 });
    const pages = await Array.fromAsync(reader.pages(id));
    expect(pages.flatMap((page) => page.items)).toEqual(items);
    const runs = await Array.fromAsync(reader.runs(id));
    expect(runs).toMatchObject([{ run, dueAt: "2026-03-01T00:01:00.000Z" }]);
    expect(await reader.run(id, 1)).toEqual(runs[0]);
    expect(await reader.run(id, 2)).toBeUndefined();
  });
});

describe("dynamoDeliveriesReader, a reader of reconcile,", () => {
  it("returns every delivery target with its due time and the earliest entry of its outbox", async () => {
    const options = { tableName: table, clock, random };
    const outbox = dynamoOutbox(tables.client, options);
    const target = endpointTarget("acct_1", "we_1");
    const later = "2026-03-01T00:05:00.000Z";
    const entries = [
      { lane: "later", dueAt: start, key: "a", content: {} },
      { lane: "first", dueAt: later, key: "b", content: {} },
    ] as const;
    await outbox.add(target, entries);
    const reader = dynamoDeliveriesReader(tables.client, table);

    const targets = await reader.targets("acct_1", ["we_2"]);
    expect(targets).toHaveLength(3);
    expect(targets).toContainEqual({ target, dueAt: start, leaseUntil: null, firstDueAt: start });
    for (const idle of [endpointTarget("acct_1", "we_2"), destinationTarget("acct_1")]) {
      expect(targets).toContainEqual({
        target: idle,
        dueAt: null,
        leaseUntil: null,
        firstDueAt: null,
      });
    }
    expect(await reader.isPending(target, entries[0])).toBe(true);
    expect(await reader.isPending(target, { ...entries[0], key: "c" })).toBe(false);
  });

  it("returns the runs of the event feed by number, and by end time", async () => {
    const feed = dynamoEventFeed(tables.client, { tableName: table, clock, random });
    for (const minute of ["01", "02", "03"]) {
      const createdAt = `2026-03-01T00:${minute}:00.000Z`;
      clock.set(createdAt);
      await feed.append("acct_1", {
        runId: `wlrun_${minute}`,
        watchlistId: "wl_1",
        webhookEndpointId: null,
        createdAt,
        types: ["watchlist.run.completed"],
      });
    }
    const reader = dynamoDeliveriesReader(tables.client, table);

    expect(await reader.feedCount("acct_1")).toBe(3);
    const entries = await Array.fromAsync(reader.feed("acct_1"));
    expect(entries.map(({ sequence, runId }) => [sequence, runId])).toEqual([
      [1, "wlrun_01"],
      [2, "wlrun_02"],
      [3, "wlrun_03"],
    ]);
    expect(entries[0]?.types).toEqual(["watchlist.run.completed"]);
    const since = reader.feedByTime("acct_1", "2026-03-01T00:02:00.000Z");
    expect(await Array.fromAsync(since)).toEqual([
      { sequence: 2, runId: "wlrun_02" },
      { sequence: 3, runId: "wlrun_03" },
    ]);
    expect(await reader.feedCount("acct_2")).toBe(0);
  });
});
