import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dynamoLedger } from "../../../../shared/aws/ledger/ledger.ts";
import type { LedgerReport } from "../../../../shared/aws/ledger/process.ts";
import { accountKeys } from "../../../../shared/aws/table/table.ts";
import { newId } from "../../../../shared/base/ids.ts";
import { concurrencyTiers } from "../../../../shared/base/limits.ts";
import { systemRandom } from "../../../../shared/base/system.ts";
import type { Ledger } from "../../../../shared/credits/ledger.ts";
import { expectLedgerToBalance, ledgerContract } from "../../../contracts/ledger.contract.ts";
import { fixedClock } from "../../../support/clock.ts";
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

/** Bytes of an item by DynamoDB's rules: names and values, with an overhead for maps and lists. */
function itemSize(value: unknown): number {
  if (typeof value === "string") return Buffer.byteLength(value);
  if (typeof value === "number") return Math.ceil(String(value).length / 2) + 1;
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + 1 + itemSize(one), 3);
  if (typeof value !== "object" || value === null) return 1;
  return Object.entries(value).reduce(
    (sum, [name, one]) => sum + Buffer.byteLength(name) + 1 + itemSize(one),
    3,
  );
}

describe("with DynamoDB,", () => {
  ledgerContract(() => world);
});

describe("the number of requests that the ledger sends to DynamoDB", () => {
  it("is one to reserve credits and one to settle the hold if the process has cached the account", async () => {
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

    expect(sent).toEqual(["UpdateCommand", "UpdateCommand"]);
  });

  it("is one to reserve credits of an account with one shard, even if the process has cached nothing", async () => {
    const sent: string[] = [];
    const client = watchedClient(world.client, (command, send) => {
      sent.push(command.constructor.name);
      return send();
    });
    await reserve(world.ledgerThrough(client), "first", 10);
    expect(sent).toEqual(["UpdateCommand"]);
  });

  it("includes a read of all shards if the chosen shard has too few credits", async () => {
    const sent: string[] = [];
    const client = watchedClient(world.client, (command, send) => {
      sent.push(command.constructor.name);
      return send();
    });
    const refused = await reserve(world.ledgerThrough(client), "first", 5_001);
    expect(refused).toEqual({ outcome: "insufficient", balance: 5_000 });
    expect(sent).toEqual(["UpdateCommand", "BatchGetCommand"]);
  });

  it("includes, at every eighth record, a copy of the journal to a page together with the usage of the copied records", async () => {
    const sent: TransactWriteCommand[] = [];
    const client = watchedClient(world.client, (command, send) => {
      if (command instanceof TransactWriteCommand) sent.push(command);
      return send();
    });
    const ledger = world.ledgerThrough(client);
    for (let n = 1; n <= 8; n += 1) {
      await reserve(ledger, `h${n}`, 10);
      await settle(ledger, `h${n}`, 10);
    }
    const writes = sent.map(({ input }) =>
      (input.TransactItems ?? []).map((item) => Object.keys(item)[0]),
    );
    expect(writes).toEqual([
      ["Update", "Put", "Update"],
      ["Update", "Put", "Update"],
    ]);
    await expectLedgerToBalance(world, accountId);
  });
});

describe("the row of a ledger shard", () => {
  const apiKeyId = newId("apiKey", now, systemRandom);
  const read = {
    endpoint: "POST /v1/products",
    apiKeyId,
    scraper: "retailer_a.full",
    items: 2_000,
  };
  const preview = {
    apiKeyId,
    endpoint: "POST /v1/watchlists/{id}/preview",
    watchlistId: newId("watchlist", now, systemRandom),
    items: 100,
  };
  it.each([
    ["calls", read],
    ["previews", preview],
  ])(
    "needs less than two write units per write after ten reservations for the kind of call '%s'",
    async (_name, work) => {
      accountId = await world.open(25_000);
      const ledger = world.ledger();
      const hold = (n: number) => ({
        accountId,
        holdId: newId("request", now, systemRandom),
        credits: 2_000 - n,
        slot: true,
        now,
        expiresAt,
      });
      for (let n = 0; n < 10; n += 1) {
        const reservation = hold(n);
        const requestId = reservation.holdId;
        const source = { requestId, ...work };
        await ledger.reserve({ ...reservation, source });
        if (n < 2) await ledger.settle({ ...reservation, credits: 10, succeeded: true });
      }
      const { Item } = await world.client.send(
        new GetCommand({ TableName: world.accountsTable, Key: accountKeys.shard(accountId, 0) }),
      );
      expect(itemSize(Item ?? {})).toBeLessThan(2_048);
    },
  );
});

describe("a lost response to a ledger update", () => {
  it("makes the ledger read the shard to find out whether the update took effect", async () => {
    const client = watchedClient(world.client, async (command, send) => {
      const answer = await send();
      if (command instanceof UpdateCommand) throw new Error("socket hang up");
      return answer;
    });
    const lost = world.ledgerThrough(client);

    expect(await reserve(lost, "h1", 100)).toEqual({ outcome: "reserved" });
    expect(await settle(lost, "h1", 70)).toEqual({ credits: 70, balance: 4_930 });
    await expectLedgerToBalance(world, accountId);
  });
});

describe("a ledger settlement that charges a call and then cannot read the balance", () => {
  it("is reported as unconfirmed, not as refused", async () => {
    const tier = concurrencyTiers.find(({ concurrency }) => concurrency > 10);
    if (tier === undefined) throw new Error("no tier has two shards");
    accountId = await world.open(tier.atLifetimeCredits);
    const client = watchedClient(world.client, async (command, send) => {
      if (!(command instanceof BatchGetCommand)) return send();
      const throttled = new Error("The table takes no more reads");
      throw Object.assign(throttled, { name: "ThrottlingException" });
    });
    const { accountsTable, ledgerTable } = world;
    const clock = fixedClock(now.toISOString());
    const ledger = dynamoLedger(client, {
      accountsTable,
      ledgerTable,
      clock,
      random: systemRandom,
    });

    await reserve(ledger, "h1", 4);
    await expect(settle(ledger, "h1", 3)).rejects.toMatchObject({
      details: { isUnconfirmed: true },
    });
    expect(await world.account(accountId)).toMatchObject({ spent: 3, held: 0 });
    await expectLedgerToBalance(world, accountId);
  });
});

describe("a process that is suspended while it reserves credits", () => {
  it("does not reserve the credits again after its hold has expired and was released", async () => {
    const clock = fixedClock(now.toISOString());
    let isFirst = true;
    const client = watchedClient(world.client, async (command, send) => {
      const answer = await send();
      if (!(command instanceof UpdateCommand) || !isFirst) return answer;
      isFirst = false;
      clock.advance(120_000);
      await world.ledger().releaseExpired(accountId, clock.now());
      // The SDK repeats a request that got no response.
      return send();
    });
    const { accountsTable, ledgerTable } = world;
    const options = { accountsTable, ledgerTable, clock, random: systemRandom };

    const reserving = reserve(dynamoLedger(client, options), "h1", 100);
    await expect(reserving).rejects.toMatchObject({ code: "UNAVAILABLE" });
    expect(await world.account(accountId)).toMatchObject({ held: 0, inFlight: 0, balance: 5_000 });
    await expectLedgerToBalance(world, accountId);
  });
});

describe("the ledger's cancellation of another process's call", () => {
  it("finds the records of the call without reading later records", async () => {
    const ledger = world.ledger();
    const callAt = async (seconds: number): Promise<string> => {
      const at = new Date(now.getTime() + seconds * 1_000);
      const holdId = newId("request", at, systemRandom);
      const hold = { accountId, holdId, now: at };
      const source = { requestId: holdId };
      const expires = { expiresAt: new Date(at.getTime() + 60_000) };
      await ledger.reserve({ ...hold, credits: 4, slot: true, source, ...expires });
      await ledger.settle({ ...hold, credits: 3, succeeded: true });
      return holdId;
    };
    const holdId = await callAt(0);
    for (let seconds = 1; seconds <= 100; seconds += 1) await callAt(seconds);
    let queried = 0;
    const client = watchedClient(world.client, async (command, send) => {
      const answer = (await send()) as { readonly Count?: number };
      if (command instanceof QueryCommand) queried += answer.Count ?? 0;
      return answer;
    });

    const late = new Date("2026-03-02T12:00:00Z");
    await world.ledgerThrough(client).cancel({ accountId, holdId, now: late });
    expect(await world.account(accountId)).toMatchObject({ balance: 4_700, spent: 300 });
    expect(queried).toBeGreaterThan(0);
    expect(queried).toBeLessThan(23);
    await expectLedgerToBalance(world, accountId);
  });

  it("refunds the charge of the call, and releases the hold of a late duplicate of the reservation", async () => {
    const tier = concurrencyTiers.find(({ concurrency }) => concurrency > 10);
    if (tier === undefined) throw new Error("no tier has two shards");
    accountId = await world.open(tier.atLifetimeCredits);
    const ledger = world.ledger();
    await reserve(ledger, "charged", 4);
    await settle(ledger, "charged", 3);
    for (let n = 0; n < 10; n += 1) await reserve(ledger, `filler ${n}`, 1);
    // This is a late duplicate of the reservation. It gets a slot in another shard, because the
    // first shard has no free slot.
    await reserve(world.ledger(), "charged", 4);
    expect(await world.account(accountId)).toMatchObject({ held: 14, spent: 3 });

    await world.ledger().cancel({ accountId, holdId: "charged", now });
    expect(await world.account(accountId)).toMatchObject({ held: 10, spent: 0 });
    await world.ledger().cancel({ accountId, holdId: "charged", now });
    expect(await world.account(accountId)).toMatchObject({ held: 10, spent: 0 });
    await expectLedgerToBalance(world, accountId);
  });
});

describe("the ledger of an account with several shards", () => {
  it("can reserve the whole balance, from all shards, for one call", async () => {
    const tier = concurrencyTiers.find(({ concurrency }) => concurrency > 10);
    if (tier === undefined) throw new Error("no tier has two shards");
    const purchase = { accountId, changeId: "c1", type: "purchase", now } as const;
    // The purchase adds the second shard and moves half of the credits to it.
    await world.changes.apply({ ...purchase, credits: tier.atLifetimeCredits });
    const credits = 5_000 + tier.atLifetimeCredits;

    expect(await reserve(world.ledger(), "all", credits)).toEqual({ outcome: "reserved" });
    expect(await world.account(accountId)).toMatchObject({ balance: 0, held: credits });
    await expectLedgerToBalance(world, accountId);
  });
});

describe("the ledger's hold of a run's step", () => {
  it("is stored for 30 days after the hold is resolved, without a due time", async () => {
    const holdId = "wlrun_1#check";
    const source = { runId: "wlrun_1", step: "check" };
    const hold = { accountId, holdId, now };
    await world.ledger().reserve({ ...hold, credits: 4, slot: false, source, expiresAt });
    await world.ledger().settle({ ...hold, credits: 3, succeeded: true });

    const Key = accountKeys.hold(accountId, holdId);
    const { Item } = await world.client.send(
      new GetCommand({ TableName: world.accountsTable, Key }),
    );
    const thirtyDays = 30 * 24 * 60 * 60;
    expect(Item).toMatchObject({
      state: "settled",
      charged: 3,
      ttl: now.getTime() / 1_000 + thirtyDays,
    });
    expect(Item).not.toHaveProperty("due_at");
  });
});

describe("a ledger operation on rows with lasting write conflicts", () => {
  it("fails after 24 attempts, with the reason of DynamoDB in the cause of its error", async () => {
    const client = watchedClient(world.client, (command, send) => {
      if (!(command instanceof UpdateCommand)) return send();
      throw new TransactionConflictException({ message: "busy", $metadata: {} });
    });
    const ledger = dynamoLedger(client, {
      accountsTable: world.accountsTable,
      ledgerTable: world.ledgerTable,
      clock: fixedClock(now.toISOString()),
      random: systemRandom,
    });

    await expect(reserve(ledger, "hold", 10)).rejects.toMatchObject({
      code: "UNAVAILABLE",
      cause: "DynamoDB did not execute a request in 24 attempts: TransactionConflictException",
    });
  });
});

describe("the metrics of the ledger", () => {
  const reporting = (client: DynamoDBDocumentClient, clock = fixedClock(now.toISOString())) => {
    const reports: LedgerReport[] = [];
    const ledger = dynamoLedger(client, {
      accountsTable: world.accountsTable,
      ledgerTable: world.ledgerTable,
      clock,
      random: systemRandom,
      report: (report) => reports.push(report),
    });
    return { ledger, reports };
  };

  it("contain no retries if DynamoDB accepts the first attempts", async () => {
    const { ledger, reports } = reporting(world.client);

    await reserve(ledger, "hold", 10);
    await settle(ledger, "hold", 10);

    expect(reports).toEqual([
      { operation: "reserve", milliseconds: 0, retries: 0 },
      { operation: "settle", milliseconds: 0, retries: 0 },
    ]);
  });

  it("contain the number of attempts after the first, and the time of all attempts", async () => {
    const clock = fixedClock(now.toISOString());
    let conflicts = 0;
    const client = watchedClient(world.client, (command, send) => {
      if (!(command instanceof UpdateCommand) || conflicts === 3) return send();
      conflicts += 1;
      clock.advance(100);
      throw new TransactionConflictException({ message: "busy", $metadata: {} });
    });
    const { ledger, reports } = reporting(client, clock);

    await reserve(ledger, "hold", 10);
    await settle(ledger, "hold", 10);

    expect(reports).toMatchObject([
      { operation: "reserve", retries: 3 },
      { operation: "settle", retries: 0 },
    ]);
    expect(reports[0]?.milliseconds).toBeGreaterThanOrEqual(300);
  });

  it("include the attempts of operations that fail", async () => {
    const client = watchedClient(world.client, (command, send) => {
      if (!(command instanceof UpdateCommand)) return send();
      throw new TransactionConflictException({ message: "busy", $metadata: {} });
    });
    const { ledger, reports } = reporting(client);

    await expect(reserve(ledger, "hold", 10)).rejects.toMatchObject({ code: "UNAVAILABLE" });

    expect(reports).toMatchObject([{ operation: "reserve", retries: 23 }]);
  });
});
