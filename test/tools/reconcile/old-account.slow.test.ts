/** Compares accounts that earlier releases opened, before and after they move to shards. */
import { beforeEach, describe, expect, it } from "vitest";
import { reconcile } from "../../../tools/reconcile/reconcile.ts";
import { dynamoLedger } from "../../../shared/aws/ledger/ledger.ts";
import { openShards } from "../../../shared/aws/ledger/open-shards.ts";
import { ledgerProcess } from "../../../shared/aws/ledger/process.ts";
import type { RowKey } from "../../../shared/aws/table/table.ts";
import { accountKeys, ledgerKeys } from "../../../shared/aws/table/table.ts";
import { type Difference, differenceLine } from "../../../tools/reconcile/rules/difference.ts";
import { numberedId } from "../../../shared/base/ids.ts";
import { countingRandom, fixedClock } from "../../support/clock.ts";
import { putOldAccount } from "./an-old-account.ts";
import {
  add,
  type Change,
  client,
  deleted,
  names,
  put,
  remove,
  rowAt,
  set,
  without,
  withTables,
} from "./world.ts";

withTables();

const clock = fixedClock("2026-03-01T12:00:00.000Z");
const options = () => ({
  accountsTable: names.accounts,
  ledgerTable: names.ledger,
  clock,
  random: countingRandom(),
});

let count = 0;
let accountId: string;
beforeEach(async () => {
  count += 1;
  accountId = `acct_${String(count).padStart(24, "0")}`;
  await putOldAccount(client, names, { accountId, now: clock.now() });
});

async function found(): Promise<string[]> {
  const differences: Difference[] = [];
  const report = (difference: Difference) => differences.push(difference);
  await reconcile(client, names, { accountId, runsMax: 20, clock, report });
  return differences.map(differenceLine);
}

type Place = readonly [table: string, key: RowKey];
const account = (): Place => [names.accounts, accountKeys.account(accountId)];
const shard = (number: number): Place => [names.accounts, accountKeys.shard(accountId, number)];
const hold = (id: string): Place => [names.accounts, accountKeys.hold(accountId, id)];
const entry = (sequence: number): Place => [names.ledger, ledgerKeys.entry(accountId, sequence)];
const usage = (): Place => [names.accounts, accountKeys.usage(accountId, "2026-03-01")];

async function differencesAfter([table, key]: Place, change: Change): Promise<string[]> {
  const before = await rowAt(table, key);
  const row = change(before);
  await (row === null ? remove(table, key) : put(table, row));
  const lines = await found();
  await put(table, before);
  return lines;
}

describe("reconcile of an account without shards", () => {
  it("reports no difference in the rows of an earlier release", async () => {
    expect(await found()).toEqual([]);
  });

  it("reports a wrong sum or a missing ID in the account's row", async () => {
    for (const [name, value] of [
      ["balance", 29_937],
      ["held", 60],
      ["spent", 3],
      ["lifetime", 30_000],
      ["in_flight", 1],
    ] as const) {
      expect(await differencesAfter(account(), add(name, 1))).toEqual([
        `${accountId}: ${name} is ${value + 1}, should be ${value}`,
      ]);
    }
    expect(await differencesAfter(account(), without("id"))).toEqual([
      `${accountId}: id is null, should be ${accountId}`,
    ]);
  });

  it.each([1, 4, 7])("reports that the ledger entry %i is missing", async (sequence) => {
    expect(await differencesAfter(entry(sequence), deleted)).toEqual([
      `${accountId} entry ${sequence}: row is missing, should be present`,
    ]);
  });

  it("reports a ledger entry with a number above the row's sequence number, or with a wrong ID or balance", async () => {
    const last = await rowAt(...entry(7));
    const id = numberedId("creditTransaction", 8, accountId);
    await put(names.ledger, { ...last, ...entry(8)[1], id, sequence: 8 });
    expect(await found()).toEqual([
      `${accountId} entry 8: row is beyond sequence 7, should be within it`,
    ]);
    await remove(...entry(8));
    expect(await differencesAfter(entry(7), set({ id }))).toEqual([
      `${accountId} entry 7: id is ${id}, should be ${String(last["id"])}`,
    ]);
    expect(await differencesAfter(entry(3), add("balance_before", 1))).toEqual([
      `${accountId} entry 3: balance_before is 30001, should be 30000`,
      `${accountId} entry 3: balance_after is 29990, should be 29991`,
    ]);
  });

  it("reports a wrong hold or wrong daily usage", async () => {
    const at = `${accountId} hold`;
    expect(await differencesAfter(hold("req_old_done"), set({ charged: 2 }))).toEqual([
      `${at} req_old_done: charged is 2, should be 3`,
    ]);
    expect(await differencesAfter(hold("req_old_done"), deleted)).toEqual([
      `${at} req_old_done: row is missing, should be present`,
    ]);
    expect(await differencesAfter(hold("req_old_open"), without("due_kind"))).toEqual([
      `${at} req_old_open: due mark is false, should be true`,
    ]);
    expect(await differencesAfter(usage(), add("credits", 2))).toEqual([
      `${accountId} usage 2026-03-01: credits is 5, should be 3`,
    ]);
  });
});

describe("reconcile of an account that moved to shards", () => {
  beforeEach(async () => {
    await openShards(ledgerProcess(client, options()), accountId);
  });

  it("reports no difference after older holds are resolved and an older charge is reversed", async () => {
    expect(await found()).toEqual([]);
    const ledger = dynamoLedger(client, options());
    const now = clock.now();
    const settle = (holdId: string, credits: number) =>
      ledger.settle({ accountId, holdId, credits, succeeded: true, now });
    await settle("req_old_open", 5);
    expect(await found()).toEqual([]);
    await settle("wlrun_old#check", 20);
    await ledger.cancel({ accountId, holdId: "req_old_done", now });
    const expiresAt = new Date(now.getTime() + 60_000);
    for (let n = 0; n < 12; n += 1) {
      const holdId = `req_${n}`;
      const call = { accountId, holdId, credits: 2, slot: true, source: { requestId: holdId } };
      await ledger.reserve({ ...call, now, expiresAt });
      await settle(holdId, 1);
    }
    expect(await found()).toEqual([]);
  });

  it.each([1, 4, 7])(
    "reports that the ledger entry %i from before the move is missing",
    async (sequence) => {
      const ledger = sequence === 7 ? `${accountId} shard 0` : accountId;
      expect(await differencesAfter(entry(sequence), deleted)).toEqual([
        `${ledger} entry ${sequence}: row is missing, should be present`,
      ]);
    },
  );

  it("reports a first shard that does not continue after the newest entry from before the move", async () => {
    const last = await rowAt(...entry(7));
    const id = numberedId("creditTransaction", 8, accountId);
    const more = { id, sequence: 8, type: "grant", credits: 1 };
    const moved = { balance_before: 29_937, balance_after: 29_938 };
    await put(names.ledger, { ...last, ...entry(8)[1], ...more, ...moved });
    expect(await found()).toContain(`${accountId} shard 0: sequence is 7, should be 8`);
    await remove(...entry(8));
  });

  it("reports a wrong hold or wrong daily usage from before the move", async () => {
    expect(await differencesAfter(hold("req_old_open"), deleted)).toEqual([
      `${accountId} hold req_old_open: row is missing, should be present`,
    ]);
    expect(await differencesAfter(usage(), add("requests", 1))).toEqual([
      `${accountId} usage 2026-03-01: requests is 2, should be 1`,
      `${accountId} usage 2026-03-01: successful plus failed is 1, should be 2`,
    ]);
  });

  it("reports a wrong number of calls in flight that started before the move", async () => {
    expect(await differencesAfter(shard(1), set({ in_flight: 1, old_in_flight: 1 }))).toEqual([
      `${accountId}: number of calls in flight from before the account had shards is 2, should be 1`,
    ]);
    const none: Change = (row) => set({ in_flight: 0 })(without("old_in_flight")(row) ?? {});
    expect(await differencesAfter(shard(0), none)).toEqual([
      `${accountId}: number of calls in flight from before the account had shards is 0, should be 1`,
    ]);
  });
});

describe("an account that moved to shards", () => {
  beforeEach(async () => {
    await openShards(ledgerProcess(client, options()), accountId);
  });

  it("refuses item calls of the previous release for lack of a slot", async () => {
    const row = await rowAt(...account());
    expect(row["concurrency"]).toBe(20);
    expect(row["in_flight"]).toBeGreaterThan(20);
    expect(row).not.toHaveProperty("sequence");
  });
});

it("reconcile reports no difference while an account moves to shards during calls", async () => {
  const ledger = dynamoLedger(client, options());
  const work = { isOver: false, calls: 0 };
  const calls = async (): Promise<void> => {
    for (; !work.isOver; work.calls += 1) {
      const [holdId, now] = [`req_busy_${work.calls}`, clock.now()];
      const call = { accountId, holdId, credits: 2, slot: true, source: { requestId: holdId } };
      await ledger.reserve({ ...call, now, expiresAt: new Date(now.getTime() + 60_000) });
      await ledger.settle({ accountId, holdId, credits: 1, succeeded: true, now });
    }
  };
  const looking = found();
  const busy = calls();
  expect(await looking).toEqual([]);
  for (let n = 0; n < 3; n += 1) expect(await found()).toEqual([]);
  work.isOver = true;
  await busy;
  expect(work.calls).toBeGreaterThan(5);
});
