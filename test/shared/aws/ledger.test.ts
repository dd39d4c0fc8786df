import { GetCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { concurrencyTiers } from "../../../shared/base/limits.ts";
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
