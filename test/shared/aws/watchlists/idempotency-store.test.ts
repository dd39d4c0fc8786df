import { GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { dynamoIdempotencyStore } from "../../../../shared/aws/watchlists/idempotency-store.ts";
import { watchlistKeys } from "../../../../shared/aws/table/table.ts";
import type {
  IdempotencyRecord,
  IdempotencyStore,
} from "../../../../shared/watchlists/idempotency.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { openTables } from "../../../support/tables.ts";

const now = new Date("2026-03-01T10:00:00.000Z");
const minutesLater = (minutes: number): Date => new Date(now.getTime() + minutes * 60_000);

const tables = openTables();
let table: string;
let store: IdempotencyStore;
beforeEach(async () => {
  table = await tables.create();
  const clock = fixedClock(now.toISOString());
  store = dynamoIdempotencyStore(tables.client, { table, clock, random: countingRandom() });
});

const aRecord = (owner: string, wanted: Partial<IdempotencyRecord> = {}): IdempotencyRecord => ({
  accountId: "acct_1",
  keyHash: "hash",
  bodyHash: "body",
  owner,
  leaseUntil: minutesLater(1),
  watchlistId: `wl_${owner}`,
  claimedAt: now,
  expiresAt: minutesLater(24 * 60),
  answer: null,
  ...wanted,
});
const Key = watchlistKeys.idempotency("acct_1", "hash");
/** Stores the response, as the transaction that creates the watchlist does. */
const answer = () =>
  tables.client.send(
    new UpdateCommand({
      TableName: table,
      Key,
      UpdateExpression: "SET answer = :answer",
      ExpressionAttributeValues: { ":answer": "201" },
    }),
  );

describe("dynamoIdempotencyStore.open, which records the use of an idempotency key,", () => {
  it("stores the record of the first request with an idempotency key, and returns this record to later requests", async () => {
    const first = aRecord("first");

    expect(await store.open(first, now)).toEqual(first);
    expect(await store.open(aRecord("second", { bodyHash: "other" }), now)).toEqual(first);
  });

  it("returns the stored response of a completed request", async () => {
    await store.open(aRecord("first"), now);
    await answer();

    expect(await store.open(aRecord("second"), now)).toEqual(aRecord("first", { answer: "201" }));
  });

  it("gives an idempotency key to exactly one of many concurrent requests that use it", async () => {
    const opened = await Promise.all(
      Array.from({ length: 8 }, (_, n) => store.open(aRecord(`${n}`), now)),
    );

    expect(new Set(opened.map(({ owner }) => owner)).size).toBe(1);
  });

  it("stores a separate record for each idempotency key and each account", async () => {
    await store.open(aRecord("first"), now);

    for (const other of [{ keyHash: "hash2" }, { accountId: "acct_2" }]) {
      const record = aRecord("second", other);
      expect(await store.open(record, now)).toEqual(record);
    }
  });

  it("treats an expired record as absent, even if DynamoDB has not deleted the record yet", async () => {
    const first = aRecord("first", { expiresAt: minutesLater(10) });
    await store.open(first, now);
    const { Item } = await tables.client.send(new GetCommand({ TableName: table, Key }));
    expect(Item?.["ttl"]).toBe(minutesLater(10).getTime() / 1_000);
    const second = aRecord("second");

    expect(await store.open(second, new Date(first.expiresAt.getTime() - 1))).toEqual(first);
    expect(await store.open(second, first.expiresAt)).toEqual(second);
  });
});

describe("dynamoIdempotencyStore.takeOver, which continues an interrupted creation,", () => {
  it("replaces the record of an idempotency key only if the record belongs to the expected request", async () => {
    await store.open(aRecord("first"), now);

    expect(await store.takeOver(aRecord("second"), "nobody")).toBe(false);
    expect(await store.takeOver(aRecord("second"), "first")).toBe(true);
    expect(await store.takeOver(aRecord("third"), "first")).toBe(false);
    expect(await store.open(aRecord("fourth"), now)).toEqual(aRecord("second"));
  });

  it("succeeds when the same call is repeated after a lost response", async () => {
    await store.open(aRecord("first"), now);
    await store.takeOver(aRecord("second"), "first");

    expect(await store.takeOver(aRecord("second"), "first")).toBe(true);
  });

  it("does not replace the record of a request that is completed", async () => {
    await store.open(aRecord("first"), now);
    await answer();

    expect(await store.takeOver(aRecord("second"), "first")).toBe(false);
  });

  it("stores nothing if the record was released", async () => {
    expect(await store.takeOver(aRecord("second"), "first")).toBe(false);
  });
});

describe("dynamoIdempotencyStore.release, which frees an idempotency key,", () => {
  it("deletes the record of the request that owns it, and succeeds when the deletion is repeated", async () => {
    await store.open(aRecord("first"), now);

    expect(await store.release(aRecord("first"))).toBe(true);
    expect(await store.release(aRecord("first"))).toBe(true);
    expect(await store.open(aRecord("second"), now)).toEqual(aRecord("second"));
  });

  it("keeps the record of another request, and the record of a completed request", async () => {
    await store.open(aRecord("first"), now);
    expect(await store.release(aRecord("second"))).toBe(false);
    await answer();
    expect(await store.release(aRecord("first"))).toBe(false);

    expect(await store.open(aRecord("third"), now)).toEqual(aRecord("first", { answer: "201" }));
  });
});
