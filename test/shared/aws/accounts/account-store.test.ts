import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { AccountStore } from "../../../../shared/accounts/account-store.ts";
import type { AutoTopUpStore } from "../../../../shared/accounts/auto-top-up.ts";
import {
  dynamoAccountStore,
  dynamoAutoTopUpStore,
} from "../../../../shared/aws/accounts/account-store.ts";
import { dynamoCreditHistory } from "../../../../shared/aws/ledger/credit-history.ts";
import { systemRandom, systemClock } from "../../../../shared/base/system.ts";
import { anAccount } from "../../../support/an-account.ts";
import { type DynamoLedgerWorld, startLedgerWorld } from "../../../support/ledger-world.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";

const account = anAccount({ createdAt: "2026-11-20T10:00:00.000Z" });

const tables = openTables();
let ledger: string;
let table: string;
let store: AccountStore;
let topUps: AutoTopUpStore;
beforeEach(async () => {
  [table, ledger] = [await tables.create(), await tables.create()];
  store = dynamoAccountStore(tables.client, { accounts: table });
  topUps = dynamoAutoTopUpStore(tables.client, table);
});
const entriesOf = async (accountId: string) => {
  const wanted = { limit: 10 };
  const history = dynamoCreditHistory(tables.client, {
    accountsTable: table,
    ledgerTable: ledger,
    clock: systemClock,
    random: systemRandom,
  });
  return (await history.page(accountId, wanted)).transactions;
};

describe("the account store in DynamoDB", () => {
  it("creates an account with a ledger entry for the grant of the initial balance", async () => {
    await store.create(account);

    expect(await store.get("acct_1")).toEqual(account);
    expect(await entriesOf("acct_1")).toEqual([
      {
        id: expect.any(String),
        sequence: 1,
        type: "grant",
        credits: 5_000,
        balanceBefore: 0,
        balanceAfter: 5_000,
        source: null,
        chargedAt: null,
        createdAt: account.createdAt,
      },
    ]);
  });

  it("returns undefined for an account that does not exist", async () => {
    await store.create(account);
    expect(await store.get("acct_2")).toBeUndefined();
  });

  it("does not change an existing account when a call creates an account with the same ID", async () => {
    await store.create(account);

    await expect(store.create({ ...account, name: "Other", balance: 9 })).rejects.toThrow(
      "Transaction",
    );
    expect(await store.get("acct_1")).toEqual(account);
    expect(await entriesOf("acct_1")).toHaveLength(1);
  });
});

describe("the account store, for an account with several shards,", () => {
  let world: DynamoLedgerWorld;
  beforeAll(async () => {
    world = await startLedgerWorld();
  });

  it("returns the account with the credits that it was charged on a UTC day", async () => {
    const accountId = await world.open(25_000);
    const now = new Date("2026-03-01T23:59:59.999Z");
    const expiresAt = new Date("2026-03-02T00:10:00.000Z");
    const calls = world.ledger();
    const call = { accountId, holdId: "h1", now };
    await calls.reserve({
      ...call,
      credits: 10,
      slot: true,
      source: { requestId: "h1" },
      expiresAt,
    });
    await calls.settle({ ...call, credits: 8, succeeded: true });
    const accounts = dynamoAccountStore(world.client, { accounts: world.accountsTable });

    const found = await accounts.getWithUsage(accountId, "2026-03-01");
    expect(found).toMatchObject({ account: { balance: 24_992, spent: 8 }, creditsCharged: 8 });
    const dayAfter = await accounts.getWithUsage(accountId, "2026-03-02");
    expect(dayAfter).toMatchObject({ account: { balance: 24_992 }, creditsCharged: 0 });
    expect(await accounts.getWithUsage("acct_unknown", "2026-03-01")).toBeUndefined();
  });

  it("reads the account with its usage in four requests, once it knows the number of shards", async () => {
    const accountId = await world.open(25_000);
    let requests = 0;
    const client = watchedClient(world.client, (_, send) => {
      requests += 1;
      return send();
    });
    const accounts = dynamoAccountStore(client, { accounts: world.accountsTable });
    await accounts.get(accountId);

    requests = 0;
    await accounts.getWithUsage(accountId, "2026-03-01");
    expect(requests).toBe(4);
  });
});

describe("the store of automatic top-ups in DynamoDB", () => {
  const topUp = { enabled: true, thresholdCredits: 2_500, packId: "starter" } as const;

  it("stores the automatic top-up of an account, and deletes it on request", async () => {
    await store.create(account);

    expect(await topUps.setAutoTopUp("acct_1", topUp)).toBe(true);
    expect(await store.get("acct_1")).toEqual({ ...account, autoTopUp: topUp });
    expect(await topUps.setAutoTopUp("acct_1", null)).toBe(true);
    expect(await store.get("acct_1")).toEqual(account);
  });

  it("returns false for the automatic top-up of an unknown account, and does not create the account", async () => {
    expect(await topUps.setAutoTopUp("acct_1", topUp)).toBe(false);
    expect(await store.get("acct_1")).toBeUndefined();
  });
});
