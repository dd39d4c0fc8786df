import { TransactionConflictException } from "@aws-sdk/client-dynamodb";
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import {
  dynamoDestinationStore,
  successWrite,
} from "../../../../shared/aws/exports/destination-store.ts";
import { transact } from "../../../../shared/aws/table/dynamo.ts";
import { deliveryKeys } from "../../../../shared/aws/table/table.ts";
import type { Destination } from "../../../../shared/exports/destination.ts";
import type { DestinationStore } from "../../../../shared/exports/destination-store.ts";
import { countingRandom, fixedClock } from "../../../support/clock.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";

const aDestination: Destination = {
  enabled: true,
  bucket: "shop",
  region: "eu-central-1",
  endpoint: "https://store.shop-example.com/",
  forcePathStyle: true,
  prefix: "shop/",
  credentials: {
    auth: "access_key",
    accessKeyId: "AKIA",
    secretAccessKey: "sealed",
    secretHint: "cret",
  },
  compression: "none",
  rows: true,
  snapshot: "day",
  failuresInRow: 0,
  lastSuccessAt: null,
  lastError: null,
  revision: "1",
  createdAt: "2026-11-20T10:00:00.000Z",
  updatedAt: "2026-11-20T10:00:00.000Z",
};
const at = new Date("2026-11-20T11:00:00.000Z");
const gone = { outcome: "failed", error: "NoSuchBucket" } as const;

const tables = openTables();
let table: string;
let store: DestinationStore;
const optionsOf = (tableName: string) => ({
  tableName,
  clock: { ...fixedClock(at.toISOString()), sleep: async () => {} },
  random: countingRandom(),
});
beforeEach(async () => {
  table = await tables.create();
  store = dynamoDestinationStore(tables.client, optionsOf(table));
});

/** Stores the time of a successful export if the destination has revision 1. */
const succeed = () =>
  transact(tables.client, [successWrite(table, "acct_1", { revision: "1", succeededAt: at })]);

describe("the store of S3 destinations in DynamoDB", () => {
  const failingRole = {
    ...aDestination,
    endpoint: null,
    credentials: { auth: "role", roleArn: "arn:aws:iam::123456789012:role/events" },
    failuresInRow: 3,
    lastError: "AccessDenied",
    lastSuccessAt: at.toISOString(),
  } as const;

  it.each([
    { what: "a destination with an access key", destination: aDestination },
    { what: "a failing destination with a role", destination: failingRole },
  ])("returns $what unchanged, and only to its own account", async ({ destination }) => {
    expect(await store.put("acct_1", destination, null)).toBe(true);

    expect(await store.get("acct_1")).toEqual(destination);
    expect(await store.get("acct_2")).toBeNull();
  });

  it("refuses a destination if the stored revision is not the expected one", async () => {
    expect(await store.put("acct_1", aDestination, "0")).toBe(false);
    await store.put("acct_1", aDestination, null);

    expect(await store.put("acct_1", { ...aDestination, revision: "2" }, null)).toBe(false);
    expect(await store.put("acct_1", { ...aDestination, revision: "2" }, "0")).toBe(false);
    expect(await store.put("acct_1", { ...aDestination, revision: "2" }, "1")).toBe(true);
    expect(await store.get("acct_1")).toMatchObject({ revision: "2" });
  });

  it("repeats a write that conflicts with a transaction on the same row", async () => {
    const locked: string[] = [];
    const client = watchedClient(tables.client, (command, send) => {
      const { name } = command.constructor;
      if (name === "GetCommand" || locked.at(-1) === name) return send();
      locked.push(name);
      throw new TransactionConflictException({ message: "locked", $metadata: {} });
    });
    const contended = dynamoDestinationStore(client, optionsOf(table));
    const second = { ...aDestination, revision: "2" };

    expect(await contended.put("acct_1", aDestination, null)).toBe(true);
    expect(await contended.change("acct_1", second, { revision: "1", checked: true })).toEqual(
      second,
    );
    locked.push("before the report");
    await contended.report("acct_1", "2", gone);
    expect(await contended.get("acct_1")).toMatchObject({ failuresInRow: 1 });
    expect(await contended.delete("acct_1")).toBe(true);
    expect(locked).toEqual([
      "PutCommand",
      "UpdateCommand",
      "before the report",
      "UpdateCommand",
      "DeleteCommand",
    ]);
  });

  it("stores exactly one of many concurrent changes of the same revision", async () => {
    await store.put("acct_1", aDestination, null);
    const changes = Array.from({ length: 8 }, (_, n) =>
      store.change(
        "acct_1",
        { ...aDestination, prefix: `${n}/`, revision: `r${n}` },
        { revision: "1", checked: true },
      ),
    );

    const won = (await Promise.all(changes)).filter((changed) => changed !== null);
    expect(won).toHaveLength(1);
    expect(await store.get("acct_1")).toEqual(won[0]);
  });

  it("keeps the export results when the settings change, and resets the failures only after a successful test write", async () => {
    await store.put("acct_1", aDestination, null);
    await succeed();
    await store.report("acct_1", "1", gone);
    // The caller read the destination before the two reports, so `changed` does not contain their
    // results.
    const changed = { ...aDestination, prefix: "new/", revision: "2" };
    const reported = {
      failuresInRow: 1,
      lastError: "NoSuchBucket",
      lastSuccessAt: at.toISOString(),
    };

    expect(await store.change("acct_1", changed, { revision: "1", checked: false })).toEqual({
      ...changed,
      ...reported,
    });
    const again = { ...changed, revision: "3" };
    expect(await store.change("acct_1", again, { revision: "2", checked: true })).toEqual({
      ...again,
      ...reported,
      failuresInRow: 0,
      lastError: null,
    });
  });

  it("stores export results only for the current revision of the destination", async () => {
    await store.put("acct_1", aDestination, null);
    await store.report("acct_1", "1", gone);
    await store.report("acct_1", "1", gone);
    expect(await store.get("acct_1")).toMatchObject({
      failuresInRow: 2,
      lastError: "NoSuchBucket",
    });
    await store.report("acct_1", "1", { outcome: "unusable", error: "AccessDenied" });
    expect(await store.get("acct_1")).toMatchObject({
      failuresInRow: 2,
      lastError: "AccessDenied",
    });
    await store.report("acct_1", "1", { outcome: "usable" });
    expect(await store.get("acct_1")).toEqual(aDestination);
    await store.report("acct_1", "0", gone);
    expect(await store.get("acct_1")).toEqual(aDestination);
    await succeed();
    expect(await store.get("acct_1")).toMatchObject({ lastSuccessAt: at.toISOString() });
  });

  it("returns a destination that the previous release stored with a failing flag but no count of failures", async () => {
    await store.put("acct_1", aDestination, null);
    const put = (failing: boolean) =>
      tables.client.send(
        new UpdateCommand({
          TableName: table,
          Key: deliveryKeys.destination("acct_1"),
          UpdateExpression: "SET failing = :failing REMOVE failures_in_row",
          ExpressionAttributeValues: { ":failing": failing },
        }),
      );
    await put(false);
    expect(await store.get("acct_1")).toEqual(aDestination);
    await put(true);
    expect(await store.get("acct_1")).toEqual({ ...aDestination, failuresInRow: 3 });
    await store.report("acct_1", "1", gone);
    expect(await store.get("acct_1")).toMatchObject({ failuresInRow: 3 });
    await succeed();
    expect(await store.get("acct_1")).toMatchObject({ failuresInRow: 0 });
  });

  it("stores no export result after the destination was deleted", async () => {
    await store.put("acct_1", aDestination, null);
    expect(await store.delete("acct_1")).toBe(true);
    expect(await store.delete("acct_1")).toBe(false);

    await store.report("acct_1", "1", gone);
    const changed = { ...aDestination, revision: "2" };
    expect(await store.change("acct_1", changed, { revision: "1", checked: true })).toBeNull();
    expect(await store.get("acct_1")).toBeNull();
  });
});
