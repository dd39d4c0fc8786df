/** Tests that changes during the read of an account's shards cause no differences. */
import { setTimeout as delay } from "node:timers/promises";
import { beforeEach, expect, it } from "vitest";
import type { ReadLedger } from "../../../../tools/reconcile/checks/read-ledger.ts";
import { readShards } from "../../../../tools/reconcile/checks/shards.ts";
import {
  type LedgerReader,
  dynamoLedgerReader,
} from "../../../../tools/reconcile/readers/ledger.ts";
import { dynamoCreditChanges } from "../../../../tools/credits/dynamo-credit-changes.ts";
import { dynamoLedger } from "../../../../shared/aws/ledger/ledger.ts";
import type { CreditChanges } from "../../../../tools/credits/credit-changes.ts";
import type { Ledger } from "../../../../shared/credits/ledger.ts";
import { countingRandom } from "../../../support/clock.ts";
import { client, names, startWorld, withTables, type World } from "../world.ts";

withTables();

let world: World;
let ledgerReader: LedgerReader;
let ledger: Ledger;
let changes: CreditChanges;
beforeEach(async () => {
  world = await startWorld();
  const tables = { accountsTable: names.accounts, ledgerTable: names.ledger };
  const options = { ...tables, clock: world.bench.clock, random: countingRandom(4) };
  ledgerReader = dynamoLedgerReader(client, tables);
  ledger = dynamoLedger(client, options);
  changes = dynamoCreditChanges(client, options);
});

async function reserve(holdId: string, credits: number): Promise<void> {
  const { bench, accountId } = world;
  const now = bench.clock.now();
  const expiresAt = new Date(now.getTime() + 600_000);
  const source = { requestId: holdId };
  await ledger.reserve({ accountId, holdId, credits, slot: true, source, now, expiresAt });
}

const settle = (holdId: string) =>
  ledger.settle({
    accountId: world.accountId,
    holdId,
    credits: 1,
    succeeded: true,
    now: world.bench.clock.now(),
  });

/** Reads the account; runs `between` after the first shard was read and before the second. */
async function read(between: () => Promise<void> = async () => {}): Promise<ReadLedger> {
  const account = await ledgerReader.account(world.accountId);
  if (account === undefined) throw new Error("There is no account");
  const isRead = { second: false };
  const shards: LedgerReader["shards"] = {
    ...ledgerReader.shards,
    async shard(ref) {
      if (ref.number === 1 && !isRead.second) {
        isRead.second = true;
        await between();
      }
      return ledgerReader.shards.shard(ref);
    },
  };
  const since = { charges: new Date(0), resolved: new Date(0) };
  const { clock } = world.bench;
  return readShards(account, since, { ledgerReader: { ...ledgerReader, shards }, clock });
}

it("reconcile reports no difference if credits move from one shard to another between the reads of the two shards", async () => {
  // The credits exceed the balance of the first shard.
  const { since, differences } = await read(() => reserve("req_large", 20_000));
  expect(differences).toEqual([]);
  expect(await since()).toMatchObject({ differences: [], isSteady: true });
});

it("reconcile does not compare the daily usage of calls that changed a shard after reconcile read the shard", async () => {
  const { since } = await read();
  for (let n = 0; n < 12; n += 1) {
    await reserve(`req_${n}`, 2);
    await settle(`req_${n}`);
  }
  const copied = { accountId: world.accountId, number: 0 };
  while ((await Array.fromAsync(ledgerReader.shards.pages(copied, {}))).length < 2) await delay(20);

  const { changed, differences } = await since();
  expect(differences).toEqual([]);
  expect(changed.holds).toContain("req_0");
  expect(changed.holds).toContain("req_11");
  expect(changed.holds).not.toContain("req_open");
});

it("reconcile reads an account again if credits are granted while reconcile reads the account's shards", async () => {
  const { bench, accountId } = world;
  const now = bench.clock.now();
  const grant = { accountId, changeId: "late", type: "grant", credits: 7, now } as const;
  const { since } = await read(async () => void (await changes.apply(grant)));
  expect(await since()).toMatchObject({ differences: [], isSteady: false });
  expect(await (await read()).since()).toMatchObject({ differences: [], isSteady: true });
});
