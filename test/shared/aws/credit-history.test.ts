import {
  BatchWriteCommand,
  type DynamoDBDocumentClient,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { dynamoCreditHistory } from "../../../shared/aws/credit-history.ts";
import { ledgerEntry } from "../../../shared/aws/ledger-entry.ts";
import { accountKeys } from "../../../shared/aws/table.ts";
import { newId } from "../../../shared/base/ids.ts";
import { systemChance, systemClock } from "../../../shared/base/system.ts";
import { creditHistoryContract } from "../../contracts/credit-history.contract.ts";
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

const historyThrough = (client: DynamoDBDocumentClient) => {
  const { accountsTable, ledgerTable } = world;
  const ports = { clock: systemClock, chance: systemChance };
  return dynamoCreditHistory(client, { accountsTable, ledgerTable, ...ports });
};

describe("dynamoCreditHistory", () => {
  creditHistoryContract(() => world);

  it("finds the refund of a charge that an earlier release took back", async () => {
    const now = systemClock.now();
    const holdId = newId("request", now, systemChance);
    const ledger = world.ledger();
    const hold = { accountId, holdId, now };
    const reservation = { ...hold, credits: 4, slot: false, expiresAt: new Date(now) };
    await ledger.reserve({ ...reservation, source: { requestId: holdId } });
    await ledger.settle({ ...hold, credits: 3, succeeded: true });
    await ledger.cancel(hold);
    await world.client.send(
      new UpdateCommand({
        TableName: world.accountsTable,
        Key: accountKeys.hold(accountId, holdId),
        UpdateExpression: "REMOVE cancelled_sequence",
      }),
    );

    const filter = { requestId: holdId };
    const page = await world.history.page(accountId, { limit: 100, before: undefined, filter });

    expect(page.transactions.map(({ sequence }) => sequence)).toEqual([5, 4, 3, 2]);
    expect(page.next).toBeNull();
  });

  it("reads one entry more than a page holds when every member of the filter is undefined", async () => {
    const limits: unknown[] = [];
    const client = watchedClient(world.client, (command, send) => {
      limits.push("Limit" in command.input && command.input.Limit);
      return send();
    });
    const filter = { requestId: undefined, type: undefined, watchlistId: undefined };
    await historyThrough(client).page(accountId, { limit: 2, before: undefined, filter });

    expect(limits).toEqual([3]);
  });

  it("reads at most 1,001 marks for a page of an account with more changes", async () => {
    const changes = 1_050;
    const createdAt = systemClock.now().toISOString();
    const sequences = Array.from({ length: changes }, (_, n) => n + 2);
    const putMark = (sequence: number) => {
      const key = accountKeys.change(accountId, `c${sequence}`);
      return { PutRequest: { Item: { ...key, type: "purchase", sequence } } };
    };
    const putEntry = (sequence: number) => {
      const entry = { credits: 1, balanceBefore: 0, balanceAfter: 1, createdAt };
      const Item = ledgerEntry({ accountId, sequence, type: "purchase", ...entry });
      return { PutRequest: { Item } };
    };
    for (let start = 0; start < changes; start += 12) {
      const some = sequences.slice(start, start + 12);
      const RequestItems = {
        [world.accountsTable]: some.map(putMark),
        [world.ledgerTable]: some.map(putEntry),
      };
      await world.client.send(new BatchWriteCommand({ RequestItems }));
    }
    let marksRead = 0;
    const client = watchedClient(world.client, async (command, send) => {
      const answer = (await send()) as { readonly Count?: number };
      const { TableName } = command.input as { readonly TableName?: string };
      if (TableName === world.accountsTable) marksRead += answer.Count ?? 0;
      return answer;
    });
    const history = historyThrough(client);

    const wanted = { limit: 100, filter: { type: "purchase" } } as const;
    const first = await history.page(accountId, { ...wanted, before: undefined });
    expect(marksRead).toBe(1_001);
    const last = await history.page(accountId, { ...wanted, before: 50 });

    const found = (page: typeof first) => page.transactions.map(({ sequence }) => sequence);
    expect(found(first)).toEqual(sequences.toReversed().slice(0, 100));
    expect(first.next).toBe(changes - 98);
    expect(found(last)).toEqual(sequences.slice(0, 48).toReversed());
    expect(last.next).toBeNull();
  });
});
