import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { GetCommand, PutCommand, QueryCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dynamoLedger } from "../../../shared/aws/ledger.ts";
import { ledgerEntry } from "../../../shared/aws/ledger-entry.ts";
import { concurrencyTiers } from "../../../shared/base/limits.ts";
import { systemChance } from "../../../shared/base/system.ts";
import type { Ledger } from "../../../shared/credits/ledger.ts";
import { expectBooksToBalance, ledgerContract } from "../../contracts/ledger.contract.ts";
import { fixedClock } from "../../support/clock.ts";
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

  it("are one to the due index, and no more, where there are no credits", async () => {
    const sent: unknown[] = [];
    const client = watchedClient(world.client, (command, send) => {
      sent.push(command.constructor);
      return send();
    });
    const refused = await reserve(world.ledgerThrough(client), "first", 5_001);
    expect(refused.outcome).toBe("insufficient");
    expect(sent.filter((command) => command === QueryCommand)).toHaveLength(1);
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

/** One of the concurrency tiers. The highest is a proof of its own: LEDGER_SLOTS=250. */
const slots = Number(process.env["LEDGER_SLOTS"] ?? 100);

describe("as many calls at once on one account as it has slots", () => {
  it("all find one, all finish, and leave the right balance", async () => {
    const tier = concurrencyTiers.find(({ concurrency }) => concurrency === slots);
    if (tier === undefined) throw new Error(`no tier has ${slots} slots`);
    const granted = tier.atLifetimeCredits;
    accountId = await world.open(granted);
    const calls = Array.from({ length: slots }, (_, n) => ({
      ledger: world.ledger(),
      id: `h${n}`,
    }));

    const outcomes = await Promise.all(calls.map(({ ledger, id }) => reserve(ledger, id, 4)));
    expect(outcomes.filter(({ outcome }) => outcome === "reserved")).toHaveLength(slots);
    expect(await world.account(accountId)).toMatchObject({ inFlight: slots, held: 4 * slots });
    expect((await reserve(world.ledger(), "one more", 4)).outcome).toBe("no_slot");

    await Promise.all(calls.map(({ ledger, id }) => settle(ledger, id, 3)));
    expect(await world.account(accountId)).toMatchObject({
      balance: granted - 3 * slots,
      held: 0,
      spent: 3 * slots,
      inFlight: 0,
    });
    await expectBooksToBalance(world, accountId);
  });
});

describe("a ledger that is damaged", () => {
  const entry = (sequence: number) => ({
    TableName: world.ledgerTable,
    Item: ledgerEntry({
      accountId,
      sequence,
      type: "grant",
      credits: 1,
      balanceBefore: 0,
      balanceAfter: 1,
      createdAt: now.toISOString(),
    }),
  });

  it("fails at once and names account and entry, when an entry is there that the account has not", async () => {
    await world.client.send(new PutCommand(entry(2)));
    const startedAt = performance.now();

    await expect(reserve(world.ledger(), "hold", 10)).rejects.toThrow(
      `Ledger damaged: ${accountId} is at sequence 1, but its entry 2 is there`,
    );
    expect(performance.now() - startedAt).toBeLessThan(3_000);
  });

  it("fails a grant in the same way", async () => {
    await world.client.send(new PutCommand(entry(2)));
    const change = { accountId, changeId: "sorry", type: "grant", credits: 5, now } as const;

    await expect(world.changes.apply(change)).rejects.toThrow("but its entry 2 is there");
  });

  it("names the second entry of a settlement too", async () => {
    const ledger = world.ledger();
    await reserve(ledger, "hold", 10);
    await world.client.send(new PutCommand(entry(4)));

    await expect(settle(ledger, "hold", 4)).rejects.toThrow("but its entry 4 is there");
  });
});

describe("an account whose rows stay busy", () => {
  it("is refused with what was refused in the cause, and without waiting for ever", async () => {
    const client = watchedClient(world.client, (command, send) => {
      if (!(command instanceof TransactWriteCommand)) return send();
      throw new TransactionCanceledException({
        message: "busy",
        $metadata: {},
        CancellationReasons: [{ Code: "TransactionConflict" }, { Code: "None" }, { Code: "None" }],
      });
    });
    const ledger = dynamoLedger(client, {
      accountsTable: world.accountsTable,
      ledgerTable: world.ledgerTable,
      clock: fixedClock(now.toISOString()),
      chance: systemChance,
    });

    await expect(reserve(ledger, "hold", 10)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      cause: `24 attempts: ledger of ${accountId}: TransactionConflict, None, None`,
    });
  });
});
