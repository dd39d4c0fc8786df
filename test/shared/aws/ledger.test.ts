import { QueryCommand, ScanCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAccount } from "../../../shared/accounts/create-account.ts";
import { dynamoAccountStore } from "../../../shared/aws/account-store.ts";
import { dynamoLedger } from "../../../shared/aws/ledger.ts";
import { systemChance, systemClock } from "../../../shared/base/system.ts";
import type { Ledger } from "../../../shared/credits/ledger.ts";
import { startTables, type TestTables } from "../../support/tables.ts";

let tables: TestTables;
let accountsTable: string;
let ledgerTable: string;
let accountId: string;

beforeAll(async () => {
  tables = await startTables();
  accountsTable = await tables.create();
  ledgerTable = await tables.create();
});
afterAll(() => tables.stop());

const store = (): ReturnType<typeof dynamoAccountStore> =>
  dynamoAccountStore(tables.client, { accounts: accountsTable, ledger: ledgerTable });
/** A ledger of its own process: it remembers nothing of what another one did. */
const process = (): Ledger =>
  dynamoLedger(tables.client, {
    accountsTable,
    ledgerTable,
    clock: systemClock,
    chance: systemChance,
  });

/** A ledger that never hears that its transactions were committed. */
function losingAnswers(): Ledger {
  const client = new Proxy(tables.client, {
    get(target, name) {
      if (name !== "send") return Reflect.get(target, name) as unknown;
      return async (command: Parameters<typeof target.send>[0]): Promise<unknown> => {
        const answer = await target.send(command);
        if (command instanceof TransactWriteCommand) throw new Error("socket hang up");
        return answer;
      };
    },
  });
  const options = { accountsTable, ledgerTable, clock: systemClock, chance: systemChance };
  return dynamoLedger(client, options);
}

async function open(signupCredits = 5_000): Promise<string> {
  const account = await createAccount(
    { name: "Test", email: "test@example.com", signupCredits },
    { accounts: store(), clock: systemClock, chance: systemChance },
  );
  return account.id;
}

beforeEach(async () => {
  accountId = await open();
});

const now = new Date("2026-03-01T12:00:00Z");
const later = (ms: number): Date => new Date(now.getTime() + ms);
const reserve = (ledger: Ledger, holdId: string, credits: number): ReturnType<Ledger["reserve"]> =>
  ledger.reserve({
    accountId,
    holdId,
    credits,
    slot: true,
    source: { requestId: holdId },
    now,
    expiresAt: later(60_000),
  });
const settle = (ledger: Ledger, holdId: string, credits: number): ReturnType<Ledger["settle"]> =>
  ledger.settle({ accountId, holdId, credits, succeeded: true, now });

async function entries(): Promise<Record<string, unknown>[]> {
  const { Items = [] } = await tables.client.send(
    new QueryCommand({
      TableName: ledgerTable,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": `account#${accountId}` },
      ConsistentRead: true,
    }),
  );
  return Items;
}

/** balance + open holds + spent = granted, and the entries form one gapless chain. */
async function expectBooksToBalance(): Promise<void> {
  const account = await store().get(accountId);
  expect(account).toBeDefined();
  if (account === undefined) return;
  expect(account.balance).toBeGreaterThanOrEqual(0);
  expect(account.balance + account.held + account.spent).toBe(account.lifetime);
  const rows = await entries();
  let balance = 0;
  for (const [index, row] of rows.entries()) {
    expect(row["sequence"]).toBe(index + 1);
    expect(row["balance_before"]).toBe(balance);
    balance = Number(row["balance_after"]);
  }
  expect(balance).toBe(account.balance);
  const spent = rows
    .filter((row) => row["type"] === "charge")
    .reduce((sum, row) => sum + Number(row["credits"]), 0);
  expect(spent).toBe(account.spent);
}

describe("reserve", () => {
  it("takes the credits out of the balance and a slot", async () => {
    expect(await reserve(process(), "h1", 120)).toEqual({ outcome: "reserved", balance: 4_880 });
    expect(await store().get(accountId)).toMatchObject({ balance: 4_880, held: 120, inFlight: 1 });
    await expectBooksToBalance();
  });

  it("reserves once for one hold id, also from another process", async () => {
    await reserve(process(), "h1", 120);
    expect(await reserve(process(), "h1", 120)).toEqual({ outcome: "reserved", balance: 4_880 });
    expect(await store().get(accountId)).toMatchObject({ balance: 4_880, held: 120, inFlight: 1 });
  });

  it("is all or nothing when the balance is short", async () => {
    const outcome = await reserve(process(), "h1", 5_001);
    expect(outcome).toEqual({ outcome: "insufficient", balance: 5_000 });
    expect(await entries()).toHaveLength(1);
  });

  it("refuses a sixth slot of a new account and gives back slots that expired", async () => {
    const ledger = process();
    for (const id of ["a", "b", "c", "d", "e"]) await reserve(ledger, id, 1);
    expect(await reserve(process(), "f", 1)).toEqual({
      outcome: "no_slot",
      limit: 5,
      balance: 4_995,
    });
    const afterExpiry = await process().reserve({
      accountId,
      holdId: "g",
      credits: 1,
      slot: true,
      source: { requestId: "g" },
      now: later(61_000),
      expiresAt: later(120_000),
    });
    expect(afterExpiry).toEqual({ outcome: "reserved", balance: 4_999 });
    expect(await store().get(accountId)).toMatchObject({ inFlight: 1, held: 1, spent: 0 });
    await expectBooksToBalance();
  });
});

describe("settle", () => {
  it("charges what was answered and refunds the rest", async () => {
    const ledger = process();
    await reserve(ledger, "h1", 100);
    expect(await settle(ledger, "h1", 70)).toEqual({ credits: 70, balance: 4_930 });
    const types = (await entries()).map((row) => [row["type"], row["credits"]]);
    expect(types).toEqual([
      ["grant", 5_000],
      ["reserve", 100],
      ["charge", 70],
      ["refund", 30],
    ]);
    await expectBooksToBalance();
  });

  it("resolves a hold once, whichever process comes second", async () => {
    await reserve(process(), "h1", 100);
    await settle(process(), "h1", 70);
    expect(await settle(process(), "h1", 100)).toEqual({ credits: 70, balance: 4_930 });
    await expectBooksToBalance();
  });

  it("settles a hold that is younger than what this process remembers of the account", async () => {
    const other = process();
    await reserve(other, "h1", 10);
    await settle(other, "h1", 10);
    await reserve(process(), "h2", 100);
    expect(await settle(other, "h2", 60)).toEqual({ credits: 60, balance: 4_930 });
    await expectBooksToBalance();
  });

  it("finds a hold resolved that it made itself and another process settled", async () => {
    const starter = process();
    const step = process();
    await reserve(starter, "A", 10);
    await settle(step, "A", 7);
    await reserve(starter, "B", 1);
    await settle(step, "B", 1);
    expect(await settle(starter, "A", 7)).toEqual({ credits: 7, balance: 4_993 });
    await expectBooksToBalance();
  });

  it("learns by reading what became of a transaction whose answer was lost", async () => {
    const lost = losingAnswers();
    expect(await reserve(lost, "h1", 100)).toEqual({ outcome: "reserved", balance: 4_900 });
    expect(await settle(lost, "h1", 70)).toEqual({ credits: 70, balance: 4_930 });
    await expectBooksToBalance();
  });

  it("loses to the expiry that gave the hold back, and charges nothing then", async () => {
    const owner = process();
    await reserve(owner, "h1", 100);
    expect(await process().releaseExpired(accountId, later(61_000))).toBe(1);
    expect(await settle(owner, "h1", 70)).toEqual({ credits: 0, balance: 5_000 });
    await expectBooksToBalance();
  });

  it("counts billed work in the day's usage", async () => {
    const ledger = process();
    await reserve(ledger, "h1", 10);
    await settle(ledger, "h1", 10);
    const { Items = [] } = await tables.client.send(
      new ScanCommand({
        TableName: accountsTable,
        FilterExpression: "pk = :pk AND sk = :day",
        ExpressionAttributeValues: { ":pk": `account#${accountId}`, ":day": "usage#2026-03-01" },
      }),
    );
    expect(Items).toMatchObject([{ requests: 1, successful: 1, failed: 0, credits: 10 }]);
  });
});

describe("holds of crashed calls", () => {
  it("are found by the sweeper's account list once they have expired", async () => {
    await reserve(process(), "h1", 10);
    expect(await process().accountsWithExpiredHolds(now, 100)).not.toContain(accountId);
    expect(await process().accountsWithExpiredHolds(later(61_000), 100)).toContain(accountId);
  });
});

describe("many at once", () => {
  it("keeps the books in balance for any interleaving of calls from several processes", async () => {
    const call = fc.record({
      process: fc.nat({ max: 2 }),
      credits: fc.integer({ min: 1, max: 900 }),
      answered: fc.double({ min: 0, max: 1, noNaN: true }),
      settles: fc.boolean(),
      twice: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 2, maxLength: 8 }), async (calls) => {
        accountId = await open(2_000);
        const processes = [process(), process(), process()];
        await Promise.all(
          calls.map(async (one, n) => {
            const ledger = processes[one.process] ?? process();
            const held = await reserve(ledger, `hold-${n}`, one.credits);
            if (held.outcome !== "reserved" || !one.settles) return;
            const charge = Math.floor(one.credits * one.answered);
            await settle(ledger, `hold-${n}`, charge);
            if (one.twice) await settle(processes[0] ?? ledger, `hold-${n}`, charge);
          }),
        );
        const account = await store().get(accountId);
        expect(account?.inFlight).toBeLessThanOrEqual(5);
        await expectBooksToBalance();
      }),
      { numRuns: 15 },
    );
  });
});
