import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dueAt } from "../../../../shared/aws/table/due-partitions.ts";
import { dynamoCreditChanges } from "../../../../tools/credits/dynamo-credit-changes.ts";
import { dynamoCreditHistory } from "../../../../shared/aws/ledger/credit-history.ts";
import { reserveUpdate } from "../../../../shared/aws/ledger/shard-update.ts";
import { ledgerEntryRow } from "../../../support/old-ledger-entry.ts";
import { accountKeys } from "../../../../shared/aws/table/table.ts";
import { newId, numberedId } from "../../../../shared/base/ids.ts";
import { systemRandom, systemClock } from "../../../../shared/base/system.ts";
import {
  type ListedTransaction,
  matches,
  type TransactionFilter,
} from "../../../../shared/credits/credit-history.ts";
import { stampOf } from "../../../../shared/credits/journal.ts";
import { entryTypes, type Ledger } from "../../../../shared/credits/ledger.ts";
import { creditHistoryContract } from "../../../contracts/credit-history.contract.ts";
import { entriesOf, expectLedgerToBalance } from "../../../contracts/ledger.contract.ts";
import { type DynamoLedgerWorld, startLedgerWorld } from "../../../support/ledger-world.ts";
import { watchedClient } from "../../../support/watched-client.ts";

let world: DynamoLedgerWorld;
let accountId: string;
beforeAll(async () => {
  world = await startLedgerWorld();
});
beforeEach(async () => {
  accountId = await world.open(5_000);
});

const historyThrough = (client: DynamoDBDocumentClient) => {
  const { accountsTable, ledgerTable } = world;
  const ports = { clock: systemClock, random: systemRandom };
  return dynamoCreditHistory(client, { accountsTable, ledgerTable, ...ports });
};

const countingWrites = () => {
  let writes = 0;
  const client = watchedClient(world.client, (command, send) => {
    const isRead = command instanceof QueryCommand || command instanceof BatchGetCommand;
    if (!isRead) writes += 1;
    return send();
  });
  return { client, writes: () => writes };
};

/**
 * Reserves credits `count` times. Each reservation adds a record to the journal. Eight records at a
 * time are copied to a page.
 */
const makeRecords = async (count: number, first = 0, now = systemClock.now()): Promise<void> => {
  const ledger = world.ledger();
  for (let n = first; n < first + count; n += 1) {
    const source = { runId: `run_${n}`, step: "check" };
    await ledger.reserve({
      accountId,
      holdId: newId("run", now, systemRandom),
      credits: 1,
      slot: false,
      source,
      now,
      expiresAt: now,
    });
  }
};

describe("with DynamoDB,", () => {
  creditHistoryContract(() => world);

  describe("the credit history of an account with one shard", () => {
    it("writes nothing when it lists entries", async () => {
      const { client, writes } = countingWrites();
      await historyThrough(client).page(accountId, { limit: 100 });
      expect(writes()).toBe(0);
    });

    it("reads the row of the shard with one request, and the entries that are no longer in the row with one query", async () => {
      await makeRecords(60);
      const sent: unknown[] = [];
      const client = watchedClient(world.client, (command, send) => {
        sent.push([command.constructor.name, "Limit" in command.input && command.input.Limit]);
        return send();
      });
      const filter = { requestId: undefined, type: undefined, watchlistId: undefined };
      await historyThrough(client).page(accountId, { limit: 30, filter });
      expect(sent).toEqual([
        ["BatchGetCommand", false],
        ["QueryCommand", 5],
      ]);
    });

    it("lists a hundred entries, even if most entries were copied from the journal to stored pages", async () => {
      await makeRecords(100);
      const entries = await entriesOf(world, accountId);
      expect(entries).toHaveLength(101);
      await expectLedgerToBalance(world, accountId);
    });

    it.each([7, 10, 13])(
      "lists each of the %i records exactly once if records are copied to a page between two reads",
      async (records) => {
        await makeRecords(records);
        const before = await entriesOf(world, accountId);
        let isCopied = false;
        const client = watchedClient(world.client, async (command, send) => {
          if (!isCopied && command instanceof QueryCommand) {
            isCopied = true;
            await makeRecords(8);
          }
          return send();
        });
        const page = await historyThrough(client).page(accountId, { limit: 100 });
        expect(isCopied).toBe(true);
        expect(page.transactions.toReversed()).toEqual(before);
      },
    );
  });

  describe("the credit history of an account with two shards", () => {
    const start = new Date(systemClock.now().getTime() + 60_000);
    const seconds = (n: number): Date => new Date(start.getTime() + n * 1_000);
    const reserve = (ledger: Ledger, holdId: string, now: Date) =>
      ledger.reserve({
        accountId,
        holdId,
        credits: 5,
        slot: true,
        source: { requestId: holdId },
        now,
        expiresAt: seconds(600),
      });
    const settle = (ledger: Ledger, holdId: string, now: Date) =>
      ledger.settle({ accountId, holdId, credits: 5, succeeded: true, now });

    /**
     * Starts ten calls in the first shard and one in the second. The calls of the first shard end
     * ten seconds later.
     */
    const work = async (): Promise<void> => {
      const change = { accountId, changeId: "pack", type: "purchase", credits: 25_000 } as const;
      await world.changes.apply({ ...change, now: start });
      const ledger = world.ledger();
      for (let n = 0; n < 11; n += 1) await reserve(ledger, `call_${n}`, seconds(0));
      for (let n = 0; n < 10; n += 1) await settle(ledger, `call_${n}`, seconds(10));
    };

    it("never changes an entry that it has listed, even if a process with a slow clock writes later", async () => {
      await work();
      const before = await entriesOf(world, accountId);
      const first = await world.history.page(accountId, { limit: 4 });

      await settle(world.ledger(), "call_10", seconds(5));

      const startingAfter = first.next ?? undefined;
      const rest = await world.history.page(accountId, { limit: 100, startingAfter });
      expect([...first.transactions, ...rest.transactions]).toEqual(before.toReversed());
      const after = await entriesOf(world, accountId);
      expect(after.slice(0, -1)).toEqual(before);
      expect(after.at(-1)).toMatchObject({ type: "charge", source: { requestId: "call_10" } });
      await expectLedgerToBalance(world, accountId);
    });

    it("omits entries that are written during the read, and includes them in the next listing", async () => {
      await work();
      const before = await entriesOf(world, accountId);
      let reads = 0;
      const client = watchedClient(world.client, async (command, send) => {
        const answer = await send();
        if (!(command instanceof BatchGetCommand)) return answer;
        reads += 1;
        // The first read assumes one shard, so only the second read reads both shards.
        if (reads === 2) {
          await settle(world.ledger(), "call_10", seconds(20));
        }
        return answer;
      });
      const page = await historyThrough(client).page(accountId, { limit: 100 });
      expect(reads).toBe(2);
      expect(page.transactions.toReversed()).toEqual(before);
    });

    it("raises the fence of a shard at the first listing, and not again at the next listing", async () => {
      await work();
      for (const raised of [1, 0]) {
        const { client, writes } = countingWrites();
        await historyThrough(client).page(accountId, { limit: 1 });
        expect(writes()).toBe(raised);
      }
    });

    it("continues a listing from a cursor without writing", async () => {
      await work();
      const { next } = await world.history.page(accountId, { limit: 3 });
      await settle(world.ledger(), "call_10", seconds(20));
      const { client, writes } = countingWrites();
      const startingAfter = next ?? undefined;
      await historyThrough(client).page(accountId, { limit: 3, startingAfter });
      expect(writes()).toBe(0);
    });

    it("waits until an unfinished transaction on a shard ends before it raises the fence of the shard", async () => {
      await work();
      let refused = 0;
      const client = watchedClient(world.client, (command, send) => {
        if (!(command instanceof UpdateCommand) || refused === 2) return send();
        refused += 1;
        throw new TransactionConflictException({ message: "conflict", $metadata: {} });
      });
      const page = await historyThrough(client).page(accountId, { limit: 1 });
      expect(refused).toBe(2);
      expect(page.transactions).toHaveLength(1);
    });

    /** Credit changes of a process that stops before it spreads credits over new shards. */
    const changesThatStop = () => {
      let transactions = 0;
      const client = watchedClient(world.client, (command, send) => {
        if (command instanceof TransactWriteCommand) transactions += 1;
        return transactions > 1 ? Promise.reject(new Error("stopped")) : send();
      });
      const { accountsTable, ledgerTable } = world;
      const ports = { clock: systemClock, random: systemRandom };
      return dynamoCreditChanges(client, { accountsTable, ledgerTable, ...ports });
    };

    it("includes the records of shards that are added during the read", async () => {
      await work();
      // The second shard now has more credits and older stamps, so the purchase changes that shard.
      const ledger = world.ledger();
      for (const n of [0, 1, 2]) await reserve(ledger, `costly_${n}`, seconds(10));
      let isGrown = false;
      const client = watchedClient(world.client, async (command, send) => {
        if (!isGrown && command instanceof UpdateCommand) {
          isGrown = true;
          const change = { accountId, changeId: "more", credits: 10_000_000 };
          await changesThatStop().apply({ ...change, type: "purchase", now: seconds(1) });
          const place = { table: world.accountsTable, accountId, shard: 2 };
          const source = { requestId: "call_of_shard_2" };
          const hold = { credits: 0, at: stampOf(seconds(2)), expiresAt: seconds(600), source };
          const update = reserveUpdate(place, "call_of_shard_2", hold);
          await world.client.send(new UpdateCommand(update));
        }
        return send();
      });
      const page = await historyThrough(client).page(accountId, { limit: 100 });
      expect(isGrown).toBe(true);
      expect(page.transactions.map(({ source }) => source)).toContainEqual({
        requestId: "call_of_shard_2",
      });
      expect(await entriesOf(world, accountId)).toEqual(page.transactions.toReversed());
    });
  });

  describe("the credit history, filtered by a call,", () => {
    const now = new Date(systemClock.now().getTime() + 60_000);

    it("finds the ledger entries of the call without reading later entries", async () => {
      await makeRecords(40);
      const holdId = newId("request", now, systemRandom);
      const hold = { accountId, holdId, now };
      const ledger = world.ledger();
      const source = { requestId: holdId };
      const expiresAt = new Date(now.getTime() + 60_000);
      await ledger.reserve({ ...hold, credits: 4, slot: true, source, expiresAt });
      await ledger.settle({ ...hold, credits: 3, succeeded: true });
      await makeRecords(100, 1_000);
      let queried = 0;
      const client = watchedClient(world.client, async (_command, send) => {
        const answer = (await send()) as { readonly Count?: number };
        queried += answer.Count ?? 0;
        return answer;
      });
      const filter = { requestId: holdId };
      const page = await historyThrough(client).page(accountId, { limit: 100, filter });
      expect(page.transactions.map(({ type }) => type)).toEqual(["refund", "charge", "reserve"]);
      expect(page.next).toBeNull();
      expect(queried).toBeLessThan(35);
    });

    it("finds the refund of the call even if its charge was reversed days later", async () => {
      const holdId = newId("request", now, systemRandom);
      const hold = { accountId, holdId };
      const ledger = world.ledger();
      const source = { requestId: holdId };
      const expiresAt = new Date(now.getTime() + 60_000);
      await ledger.reserve({ ...hold, now, credits: 4, slot: true, source, expiresAt });
      await ledger.settle({ ...hold, now, credits: 4, succeeded: true });
      const late = new Date(now.getTime() + 5 * 24 * 60 * 60 * 1_000);
      await ledger.cancel({ ...hold, now: late });

      const filter = { requestId: holdId };
      const { transactions } = await world.history.page(accountId, { limit: 100, filter });
      expect(transactions.map(({ type, createdAt }) => [type, createdAt])).toEqual([
        ["refund", late.toISOString()],
        ["charge", now.toISOString()],
        ["reserve", now.toISOString()],
      ]);
    });

    it("returns no ledger entries if the call reserved nothing", async () => {
      await makeRecords(30);
      const filter = { requestId: newId("request", now, systemRandom) };
      const page = await world.history.page(accountId, { limit: 100, filter });
      expect(page).toEqual({ transactions: [], next: null });
    });

    it("finds the ledger entries of the call even if their stamps are far from the time in the call's ID", async () => {
      const holdId = newId("request", now, systemRandom);
      const source = { requestId: holdId };
      const later = new Date(now.getTime() + 30 * 60 * 1_000);
      // Another process with a fast clock has raised the stamps of the shard by half an hour. The
      // quick search ends after 20 pages with 8 records each.
      await makeRecords(180, 0, later);
      const expiresAt = new Date(later.getTime() + 60_000);
      const hold = { accountId, holdId, credits: 4, slot: true, source, expiresAt };
      await world.ledger().reserve({ ...hold, now });
      await makeRecords(10, 1_000);
      const page = await world.history.page(accountId, { limit: 1, filter: { requestId: holdId } });
      expect(page.transactions.map(({ type }) => type)).toEqual(["reserve"]);
    });
  });

  describe("the credit history of an account of a previous release", () => {
    const opened = new Date("2026-01-05T10:00:00.000Z");
    const at = (minute: number): string =>
      new Date(opened.getTime() + minute * 60_000).toISOString();
    const oldCall = newId("request", new Date(at(1)), systemRandom);
    const openCall = newId("request", new Date(at(2)), systemRandom);
    const oldEntries = [
      { type: "grant", credits: 5_000, moves: 5_000 },
      { type: "reserve", credits: 10, moves: -10, holdId: oldCall },
      { type: "charge", credits: 8, moves: 0, holdId: oldCall },
      { type: "refund", credits: 2, moves: 2, holdId: oldCall },
      { type: "purchase", credits: 25_000, moves: 25_000, changeId: "old_pack" },
      { type: "reserve", credits: 7, moves: -7, holdId: openCall },
    ] as const;

    /** Stores an account with a call that was charged, a purchase, and a call in flight. */
    const putOldAccount = async (): Promise<void> => {
      accountId = newId("account", opened, systemRandom);
      let balance = 0;
      const entries = oldEntries.map(({ moves, ...entry }, n) => {
        const balanceBefore = balance;
        balance += moves;
        const source = "holdId" in entry ? { requestId: entry.holdId } : undefined;
        const known = { accountId, sequence: n + 1, createdAt: at(n), balanceBefore };
        return ledgerEntryRow({
          ...entry,
          ...known,
          balanceAfter: balance,
          ...(source !== undefined && { source }),
        });
      });
      const holdOf = (holdId: string, more: object) => ({
        ...accountKeys.hold(accountId, holdId),
        account_id: accountId,
        hold_id: holdId,
        request_id: holdId,
        slot: true,
        ...more,
      });
      const expiresAt = new Date(systemClock.now().getTime() + 600_000);
      const openKey = accountKeys.hold(accountId, openCall);
      const rows = [
        {
          ...accountKeys.account(accountId),
          id: accountId,
          name: "Old",
          email: "old@example.com",
          demo: false,
          balance,
          held: 7,
          spent: 8,
          lifetime: 30_000,
          sequence: 6,
          in_flight: 1,
          concurrency: 20,
          created_at: opened.toISOString(),
        },
        holdOf(oldCall, {
          state: "settled",
          credits: 10,
          charged: 8,
          created_at: at(1),
          resolved_at: at(2),
          sequence: 2,
          resolved_sequence: 3,
        }),
        holdOf(openCall, {
          ...dueAt("hold", openKey, expiresAt),
          state: "open",
          credits: 7,
          created_at: at(5),
          sequence: 6,
        }),
        {
          ...accountKeys.change(accountId, "old_pack"),
          type: "purchase",
          credits: 25_000,
          sequence: 5,
          created_at: at(4),
        },
      ];
      const put = (TableName: string, Item: object) =>
        world.client.send(new PutCommand({ TableName, Item: { ...Item } }));
      for (const row of rows) await put(world.accountsTable, row);
      for (const entry of entries) await put(world.ledgerTable, entry);
    };
    /** Settles a call that the previous release reserved, then makes calls in both shards. */
    const goOn = async (): Promise<void> => {
      const now = systemClock.now();
      const expiresAt = new Date(now.getTime() + 60_000);
      const ledger = world.ledger();
      const hold = { accountId, credits: 3, succeeded: true, now };
      await ledger.settle({ ...hold, holdId: openCall });
      for (let n = 0; n < 12; n += 1) {
        const holdId = `new_${n}`;
        const source = { requestId: holdId };
        await ledger.reserve({ ...hold, holdId, slot: true, source, expiresAt });
      }
      for (let n = 0; n < 12; n += 1) await ledger.settle({ ...hold, holdId: `new_${n}` });
    };
    const list = async (filter: TransactionFilter, limit: number) => {
      const found: ListedTransaction[] = [];
      for (let startingAfter: string | undefined; ;) {
        const page = await world.history.page(accountId, { limit, startingAfter, filter });
        found.push(...page.transactions);
        if (page.next === null) return found;
        startingAfter = page.next;
      }
    };
    beforeEach(putOldAccount);

    it("lists its ledger entries with the same sequence numbers before and after the account moves to shards", async () => {
      const before = await list({}, 100);
      expect(before.map(({ id, sequence }) => [id, sequence])).toEqual(
        [6, 5, 4, 3, 2, 1].map((n) => [numberedId("creditTransaction", n, accountId), n]),
      );
      await goOn();
      for (const limit of [1, 2, 100]) {
        const after = await list({}, limit);
        expect(after.slice(-6)).toEqual(before);
        expect(after.map(({ sequence }) => sequence)).toEqual(
          after.map((_, n) => after.length - n),
        );
      }
      await expectLedgerToBalance(world, accountId);
    });

    it("accepts a cursor that an earlier release returned", async () => {
      const startingAfter = numberedId("creditTransaction", 4, accountId);
      for (const move of [undefined, goOn]) {
        await move?.();
        const page = await world.history.page(accountId, { limit: 2, startingAfter });
        expect(page.transactions.map(({ sequence }) => sequence)).toEqual([3, 2]);
        expect(page.next).toBe(numberedId("creditTransaction", 2, accountId));
      }
    });

    it("returns for each filter the matching ledger entries from before and after the account moved to shards", async () => {
      for (const move of [undefined, goOn]) {
        await move?.();
        const all = await list({}, 100);
        const requestIds = [oldCall, openCall, "new_3"].filter(
          (id) => move !== undefined || id !== "new_3",
        );
        const filters: readonly TransactionFilter[] = [
          ...requestIds.map((requestId) => ({ requestId })),
          ...entryTypes.map((type) => ({ type })),
        ];
        for (const filter of filters) {
          const wanted = all.filter((entry) => matches(entry, filter));
          for (const limit of [1, 2, 100]) expect(await list(filter, limit)).toEqual(wanted);
        }
      }
    });

    it("finds the refund of an old charge that is reversed after the account moved to shards", async () => {
      await world.ledger().cancel({ accountId, holdId: oldCall, now: systemClock.now() });
      for (const limit of [1, 100]) {
        const found = await list({ requestId: oldCall }, limit);
        expect(found.map(({ type, credits }) => [type, credits])).toEqual([
          ["refund", 8],
          ["refund", 2],
          ["charge", 8],
          ["reserve", 10],
        ]);
      }
    });
  });

  it("the credit history reads at most 1,001 marks of executed credit changes for one page, even if the account has more marks", async () => {
    const changes = 1_050;
    const change = { accountId, type: "purchase", credits: 1, now: systemClock.now() } as const;
    for (let n = 0; n < 3; n += 1) await world.changes.apply({ ...change, changeId: `real_${n}` });
    for (let start = 0; start < changes; start += 25) {
      const marks = Array.from({ length: 25 }, (_, n) => {
        const key = accountKeys.change(accountId, `c${start + n}`);
        return { PutRequest: { Item: { ...key, type: "purchase", at: start + n } } };
      });
      const RequestItems = { [world.accountsTable]: marks };
      await world.client.send(new BatchWriteCommand({ RequestItems }));
    }
    let marksRead = 0;
    const client = watchedClient(world.client, async (command, send) => {
      const answer = (await send()) as { readonly Count?: number };
      const { TableName } = command.input as { readonly TableName?: string };
      if (TableName === world.accountsTable) marksRead += answer.Count ?? 0;
      return answer;
    });

    const wanted = { limit: 100, filter: { type: "purchase" } } as const;
    const { transactions } = await historyThrough(client).page(accountId, wanted);
    expect(marksRead).toBe(1_001);
    expect(transactions.map(({ sequence }) => sequence)).toEqual([4, 3, 2]);
  });

  it("a page of the credit history ends after 2,000 ledger entries were read, even if few of them match the filter", async () => {
    const rows = Array.from({ length: 2_100 }, (_, n) => ({
      PutRequest: {
        Item: ledgerEntryRow({
          accountId: "acct_long",
          sequence: n + 1,
          type: n === 0 ? "refund" : "reserve",
          credits: 1,
          balanceBefore: 0,
          balanceAfter: 0,
          createdAt: systemClock.now().toISOString(),
        }),
      },
    }));
    for (let start = 0; start < rows.length; start += 25) {
      const RequestItems = { [world.ledgerTable]: rows.slice(start, start + 25) };
      await world.client.send(new BatchWriteCommand({ RequestItems }));
    }
    const wanted = { limit: 5, filter: { type: "refund" } } as const;
    const first = await world.history.page("acct_long", wanted);
    expect(first.transactions).toEqual([]);
    const startingAfter = first.next ?? undefined;
    const second = await world.history.page("acct_long", { ...wanted, startingAfter });
    expect(second.transactions.map(({ sequence }) => sequence)).toEqual([1]);
    expect(second.next).toBeNull();
  });
});
