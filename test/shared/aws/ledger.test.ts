import { GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dynamoUsageStore } from "../../../shared/aws/usage-store.ts";
import type { Ledger } from "../../../shared/credits/ledger.ts";
import { expectBooksToBalance, ledgerContract } from "../../contracts/ledger.contract.ts";
import { type DynamoLedgerWorld, startLedgerWorld } from "../../support/ledger-world.ts";
import { watchedClient } from "../../support/watched-client.ts";

let world: DynamoLedgerWorld;
let accountId: string;
beforeAll(async () => {
  world = await startLedgerWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  accountId = await world.open(5_000);
});

const now = new Date("2026-03-01T12:00:00Z");
const expiresAt = new Date("2026-03-01T12:01:00Z");
const reserve = (ledger: Ledger, holdId: string, credits: number) =>
  ledger.reserve({
    accountId,
    holdId,
    credits,
    slot: true,
    source: { requestId: holdId },
    now,
    expiresAt,
  });
const settle = (ledger: Ledger, holdId: string, credits: number) =>
  ledger.settle({ accountId, holdId, credits, succeeded: credits > 0, now });

describe("dynamoLedger", () => {
  ledgerContract(() => world);
});

describe("requests to DynamoDB", () => {
  it("are one to reserve and one to settle in a process that knows the account", async () => {
    const sent: string[] = [];
    const client = watchedClient(world.client, (command, send) => {
      sent.push(command.constructor.name);
      return send();
    });
    const ledger = world.ledgerThrough(client);
    await reserve(ledger, "first", 10);
    await settle(ledger, "first", 10);
    sent.length = 0;

    await reserve(ledger, "second", 10);
    await settle(ledger, "second", 4);

    expect(sent).toEqual(["TransactWriteCommand", "TransactWriteCommand"]);
  });

  it("read the books once in a process that does not", async () => {
    const sent: unknown[] = [];
    const client = watchedClient(world.client, (command, send) => {
      sent.push(command.constructor);
      return send();
    });
    await reserve(world.ledgerThrough(client), "first", 10);
    expect(sent).toEqual([GetCommand, TransactWriteCommand]);
  });
});

describe("answers that are lost", () => {
  it("are made up for by reading what became of the transaction", async () => {
    const client = watchedClient(world.client, async (command, send) => {
      const answer = await send();
      if (command instanceof TransactWriteCommand) throw new Error("socket hang up");
      return answer;
    });
    const lost = world.ledgerThrough(client);

    expect(await reserve(lost, "h1", 100)).toEqual({ outcome: "reserved", balance: 4_900 });
    expect(await settle(lost, "h1", 70)).toEqual({ credits: 70, balance: 4_930 });
    await expectBooksToBalance(world, accountId);
  });
});

describe("usage", () => {
  it("counts billed work on its UTC day, in the transaction that settles it", async () => {
    const ledger = world.ledger();
    await reserve(ledger, "h1", 10);
    await reserve(ledger, "h2", 5);
    await settle(ledger, "h1", 8);
    await settle(ledger, "h1", 8);
    await settle(ledger, "h2", 0);

    const usage = dynamoUsageStore(world.client, world.accountsTable);
    expect(await usage.daily(accountId, { from: "2026-02-01", to: "2026-03-01" })).toEqual([
      { date: "2026-03-01", requests: 2, successful: 1, failed: 1, credits: 8 },
    ]);
    expect(await usage.daily(accountId, { from: "2026-03-02", to: "2026-03-03" })).toEqual([]);
  });
});

describe("250 calls at once on one account", () => {
  it("all find a slot, all finish, and leave the right balance", async () => {
    accountId = await world.open(10_000_000);
    const calls = Array.from({ length: 250 }, (_, n) => ({ ledger: world.ledger(), id: `h${n}` }));

    const outcomes = await Promise.all(calls.map(({ ledger, id }) => reserve(ledger, id, 4)));
    expect(outcomes.filter(({ outcome }) => outcome === "reserved")).toHaveLength(250);
    expect(await world.account(accountId)).toMatchObject({ inFlight: 250, held: 1_000 });
    expect((await reserve(world.ledger(), "one more", 4)).outcome).toBe("no_slot");

    await Promise.all(calls.map(({ ledger, id }) => settle(ledger, id, 3)));
    expect(await world.account(accountId)).toMatchObject({
      balance: 9_999_250,
      held: 0,
      spent: 750,
      inFlight: 0,
    });
    await expectBooksToBalance(world, accountId);
  });
});
