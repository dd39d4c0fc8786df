import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import {
  BatchGetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from "@aws-sdk/lib-dynamodb";
import { copyJournalOf } from "../../../../shared/aws/ledger/copy-journal.ts";
import { ledgerProcess } from "../../../../shared/aws/ledger/process.ts";
import { accountKeys } from "../../../../shared/aws/table/table.ts";
import { systemRandom, systemClock } from "../../../../shared/base/system.ts";
import type { UsageStore } from "../../../../shared/accounts/usage-store.ts";
import { dynamoUsageStore } from "../../../../shared/aws/accounts/usage-store.ts";
import type { Ledger } from "../../../../shared/credits/ledger.ts";
import { type DynamoLedgerWorld, startLedgerWorld } from "../../../support/ledger-world.ts";
import { watchedClient } from "../../../support/watched-client.ts";

let world: DynamoLedgerWorld;
let ledger: Ledger;
let usage: UsageStore;
let accountId: string;
beforeAll(async () => {
  world = await startLedgerWorld();
  usage = dynamoUsageStore(world.client, { ...world, clock: systemClock, random: systemRandom });
});
beforeEach(async () => {
  ledger = world.ledger();
  accountId = await world.open(5_000);
});

/** Reserves and settles charged work at the given time. */
async function work(holdId: string, time: string, credits: number): Promise<void> {
  const now = new Date(time);
  const expiresAt = new Date(now.getTime() + 60_000);
  const source = { requestId: holdId };
  await ledger.reserve({ accountId, holdId, credits: 10, slot: true, source, now, expiresAt });
  await ledger.settle({ accountId, holdId, credits, succeeded: credits > 0, now });
}

/** Returns the partitions of the usage rows that a command reads. */
function usagePartitions(command: unknown): unknown[] {
  if (command instanceof QueryCommand) return [command.input.ExpressionAttributeValues?.[":pk"]];
  if (!(command instanceof BatchGetCommand)) return [];
  const keys = command.input.RequestItems?.[world.accountsTable]?.Keys ?? [];
  return keys.filter(({ sk }) => String(sk).startsWith("usage#")).map(({ pk }): unknown => pk);
}

describe("the usage store in DynamoDB", () => {
  it("counts a charged call or step on its UTC day, and not again when the charge is repeated", async () => {
    await work("h1", "2026-03-01T00:00:00.000Z", 8);
    const again = { accountId, holdId: "h1", credits: 8, succeeded: true };
    await ledger.settle({ ...again, now: new Date("2026-03-01T12:00:00.000Z") });
    await work("h2", "2026-03-01T23:59:59.999Z", 0);

    expect(await usage.daily(accountId, { from: "2026-03-01", to: "2026-03-01" })).toEqual([
      { date: "2026-03-01", requests: 2, successful: 1, failed: 1, credits: 8 },
    ]);
  });

  it("returns the days with usage between two dates, including the days of the two dates, oldest first", async () => {
    for (const day of ["01", "02", "04", "05"]) {
      await work(`h${day}`, `2026-03-${day}T12:00:00.000Z`, Number(day));
    }

    const days = await usage.daily(accountId, { from: "2026-03-02", to: "2026-03-04" });
    expect(days.map(({ date, credits }) => [date, credits])).toEqual([
      ["2026-03-02", 2],
      ["2026-03-04", 4],
    ]);
  });

  it("counts each charge exactly once, whether or not its record has been copied to a page", async () => {
    for (let n = 0; n < 30; n += 1) {
      await work(`h${n}`, `2026-03-0${1 + Math.floor(n / 10)}T12:00:00.000Z`, 2);
      const days = await usage.daily(accountId, { from: "2026-03-01", to: "2026-03-31" });
      expect(days.reduce((sum, { requests }) => sum + requests, 0)).toBe(n + 1);
    }
    expect(await usage.daily(accountId, { from: "2026-03-01", to: "2026-03-31" })).toEqual(
      ["01", "02", "03"].map((day) => ({
        date: `2026-03-${day}`,
        requests: 10,
        successful: 10,
        failed: 0,
        credits: 20,
      })),
    );
  });

  it.each([
    { period: "one day", to: "2026-03-01" },
    { period: "several days", to: "2026-03-04" },
  ])(
    "reads a shard's usage of $period again only if records of the shard are copied to a page during the read",
    async ({ to }) => {
      accountId = await world.open(25_000);
      const uncopied = watchedClient(world.client, (command, send) => {
        if (command instanceof TransactWriteCommand) throw new Error("not copied");
        return send();
      });
      ledger = world.ledgerThrough(uncopied);
      for (const holdId of ["h1", "h2", "h3", "h4"])
        await work(holdId, "2026-03-01T12:00:00.000Z", 2);
      const time = { clock: systemClock, random: systemRandom };
      const process = ledgerProcess(world.client, { ...world, ...time });
      const reads: unknown[] = [];
      const client = watchedClient(world.client, async (command, send) => {
        const answer = await send();
        const found = usagePartitions(command);
        const { pk } = accountKeys.shard(accountId, 0);
        if (found.includes(pk) && !reads.includes(pk)) await copyJournalOf(process, accountId, 0);
        reads.push(...found);
        return answer;
      });

      const busy = dynamoUsageStore(client, { ...world, ...time });
      expect(await busy.daily(accountId, { from: "2026-03-01", to })).toMatchObject([
        { requests: 4, credits: 8 },
      ]);
      const readsOf = (shard: number): number =>
        reads.filter((pk) => pk === accountKeys.shard(accountId, shard).pk).length;
      expect([readsOf(0), readsOf(1)]).toEqual([2, 1]);
    },
  );

  it("reads the usage of one day in five requests, whatever the number of shards", async () => {
    accountId = await world.open(25_000);
    await work("h1", "2026-03-01T12:00:00.000Z", 2);
    let requests = 0;
    const client = watchedClient(world.client, (_, send) => {
      requests += 1;
      return send();
    });

    const { accountsTable } = world;
    const counted = dynamoUsageStore(client, {
      accountsTable,
      clock: systemClock,
      random: systemRandom,
    });
    const day = { from: "2026-03-01", to: "2026-03-01" };
    expect(await counted.daily(accountId, day)).toMatchObject([{ requests: 1, credits: 2 }]);
    expect(requests).toBe(5);
  });

  it("subtracts a reversed charge from the day on which the charge was counted", async () => {
    await work("h1", "2026-03-01T12:00:00.000Z", 8);
    await ledger.cancel({ accountId, holdId: "h1", now: new Date("2026-03-02T00:00:00.000Z") });
    expect(await usage.daily(accountId, { from: "2026-03-01", to: "2026-03-31" })).toEqual([
      { date: "2026-03-01", requests: 1, successful: 0, failed: 1, credits: 0 },
    ]);
  });

  it("includes the usage of days that the previous release stored in the account's rows", async () => {
    await world.client.send(
      new PutCommand({
        TableName: world.accountsTable,
        Item: {
          ...accountKeys.usage(accountId, "2026-03-01"),
          requests: 2,
          successful: 1,
          failed: 1,
          credits: 5,
        },
      }),
    );
    await work("h1", "2026-03-01T12:00:00.000Z", 8);
    expect(await usage.daily(accountId, { from: "2026-03-01", to: "2026-03-31" })).toEqual([
      { date: "2026-03-01", requests: 3, successful: 2, failed: 1, credits: 13 },
    ]);
  });

  it("counts only the usage of the given account", async () => {
    await work("h1", "2026-03-01T12:00:00.000Z", 8);
    const other = await world.open(5_000);

    expect(await usage.daily(other, { from: "2026-01-01", to: "2026-12-31" })).toEqual([]);
  });
});
