import { GetCommand, PutCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { beforeAll, beforeEach, expect, it } from "vitest";
import type { Row } from "../../../../shared/aws/table/dynamo.ts";
import { copyJournalOf } from "../../../../shared/aws/ledger/copy-journal.ts";
import { ledgerProcess } from "../../../../shared/aws/ledger/process.ts";
import { accountKeys, ledgerKeys, type RowKey } from "../../../../shared/aws/table/table.ts";
import { systemRandom, systemClock } from "../../../../shared/base/system.ts";
import { expectLedgerToBalance } from "../../../contracts/ledger.contract.ts";
import { type DynamoLedgerWorld, startLedgerWorld } from "../../../support/ledger-world.ts";
import { watchedClient } from "../../../support/watched-client.ts";

let world: DynamoLedgerWorld;
let accountId: string;
let warnings: string[];
beforeAll(async () => {
  world = await startLedgerWorld();
});
beforeEach(async () => {
  accountId = await world.open(5_000);
  warnings = [];
});

const now = new Date("2026-03-01T12:00:00Z");
const expiresAt = new Date("2026-03-01T12:01:00Z");

/**
 * Makes calls whose records stay in the journal, because every transaction of their process fails.
 */
async function call(...holdIds: readonly string[]): Promise<void> {
  const client = watchedClient(world.client, (command, send) => {
    if (command instanceof TransactWriteCommand) throw new Error("not copied");
    return send();
  });
  const ledger = world.ledgerThrough(client);
  for (const holdId of holdIds) {
    const source = { requestId: holdId };
    await ledger.reserve({ accountId, holdId, credits: 10, slot: true, source, now, expiresAt });
    await ledger.settle({ accountId, holdId, credits: 10, succeeded: true, now });
  }
}

async function copy(client = world.client): Promise<void> {
  const { accountsTable, ledgerTable } = world;
  const warn = (message: string): number => warnings.push(message);
  const time = { clock: systemClock, random: systemRandom };
  const process = ledgerProcess(client, { accountsTable, ledgerTable, ...time, warn });
  await copyJournalOf(process, accountId, 0);
}

async function rowAt(TableName: string, Key: RowKey): Promise<Row | undefined> {
  const get = new GetCommand({ TableName, Key: { ...Key }, ConsistentRead: true });
  return (await world.client.send(get)).Item;
}

const shardRow = () => rowAt(world.accountsTable, accountKeys.shard(accountId, 0));
const journalOf = (row: Row | undefined): readonly Row[] => row?.["journal"] as readonly Row[];
const requestsOfDay = async (): Promise<unknown> =>
  (await rowAt(world.accountsTable, accountKeys.shardUsage(accountId, 0, "2026-03-01")))?.[
    "requests"
  ];

/**
 * Restores the shard and its usage, but no pages of the journal, as a restore of the accounts table
 * alone does.
 */
async function restore(shard: Row | undefined): Promise<void> {
  const { pk, sk } = accountKeys.shardUsage(accountId, 0, "2026-03-01");
  const usage = { pk, sk, requests: 0, successful: 0, failed: 0, credits: 0 };
  for (const Item of [shard, usage]) {
    await world.client.send(new PutCommand({ TableName: world.accountsTable, Item }));
  }
}

it("after a restore of the accounts table, the ledger copies a journal to a page that already has the records of the journal", async () => {
  await call("h1", "h2", "h3", "h4");
  const before = await shardRow();
  await copy();
  await restore(before);
  await call("h5");
  expect(journalOf(await shardRow())).toHaveLength(11);

  await copy();

  expect(journalOf(await shardRow())).toHaveLength(2);
  expect(await requestsOfDay()).toBe(4);
  expect(warnings).toEqual([]);
  await expectLedgerToBalance(world, accountId);
});

it("a ledger journal that differs from its stored page is kept, and the account, shard and page are reported", async () => {
  await call("h1", "h2", "h3");
  const before = await shardRow();
  await call("h4");
  await copy();
  const firstStamp = Number(journalOf(before)[0]?.["a"]);
  const stored = await rowAt(world.ledgerTable, ledgerKeys.page(accountId, 0, firstStamp));
  await restore(before);
  await call("other");

  await copy();

  expect(warnings).toEqual([
    expect.stringContaining(
      `The journal of ${accountId} shard 0 was not copied: page ${firstStamp} exists`,
    ),
  ]);
  expect(journalOf(await shardRow())).toHaveLength(9);
  expect(await requestsOfDay()).toBe(0);
  const page = await rowAt(world.ledgerTable, ledgerKeys.page(accountId, 0, firstStamp));
  expect(page).toEqual(stored);
});

it("a ledger change succeeds even if the stored page of its journal cannot be read", async () => {
  await call("h1", "h2", "h3");
  const before = await shardRow();
  await call("h4");
  await copy();
  await restore(before);
  await call("other");
  let failures = 0;
  const client = watchedClient(world.client, (command, send) => {
    if (!(command instanceof QueryCommand)) return send();
    failures += 1;
    throw new Error("not read");
  });

  await copy(client);

  expect(failures).toBe(1);
  expect(journalOf(await shardRow())).toHaveLength(9);
});
