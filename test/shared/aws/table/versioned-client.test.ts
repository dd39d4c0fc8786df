import {
  ConditionalCheckFailedException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  BatchWriteCommand,
  DeleteCommand,
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { watchlistKeys } from "../../../../shared/aws/table/table.ts";
import { versionedClient } from "../../../../shared/aws/table/versioned-client.ts";
import { rowKinds } from "../../../../shared/base/stored-kinds.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";

const conversion = {
  older: 1,
  olderNames: ["name"],
  newerNames: ["label"],
  toNewer: ({ name }: { name?: unknown }) => (name === undefined ? {} : { label: [name] }),
  toOlder: ({ label }: { label?: unknown }) =>
    label === undefined ? {} : { name: (label as readonly unknown[])[0] },
};
const kindsAt = (version: number, isConverted = true) => ({
  ...rowKinds,
  run: { ...rowKinds.run, version, ...(isConverted && { conversion }) },
});

const tables = openTables();
const key = watchlistKeys.run("wl_1", 7);
let table: string;
/**
 * Clients of three releases. Release A writes version 1 and also accepts version 2. Release B
 * writes version 2 and also accepts version 1. Release C requires version 2. `bPrevious` is release
 * B with the setting to write version 1.
 */
let a: DynamoDBDocumentClient;
let b: DynamoDBDocumentClient;
let bPrevious: DynamoDBDocumentClient;
let c: DynamoDBDocumentClient;

beforeEach(async () => {
  table = await tables.create();
  a = versionedClient(tables.client, { kinds: kindsAt(1) });
  b = versionedClient(tables.client, { kinds: kindsAt(2) });
  bPrevious = versionedClient(tables.client, { kinds: kindsAt(2), writes: "previous" });
  c = versionedClient(tables.client, { kinds: kindsAt(2, false) });
});

const stored = async () => {
  const { Item } = await tables.client.send(
    new GetCommand({ TableName: table, Key: key, ConsistentRead: true }),
  );
  return Item;
};
const read = async (client: DynamoDBDocumentClient) =>
  (await client.send(new GetCommand({ TableName: table, Key: key }))).Item;
const put = (client: DynamoDBDocumentClient, attributes: object) =>
  client.send(new PutCommand({ TableName: table, Item: { ...key, ...attributes } }));

const older = { ...key, name: "shoes", item_count: 3 };
const newer = { ...key, label: ["shoes"], item_count: 3 };
const newerStored = { ...newer, stored_version: 2 };

describe("a versioned client that reads rows", () => {
  it("converts a row of the older version to the version of the code", async () => {
    await put(tables.client, { name: "shoes", item_count: 3 });

    expect(await read(b)).toEqual(newer);
    expect(await read(a)).toEqual(older);
  });

  it("converts a row of the newer version to the version of the code", async () => {
    await put(tables.client, newerStored);

    expect(await read(a)).toEqual(older);
    expect(await read(b)).toEqual(newer);
  });

  it("converts the rows of a query, of a batch and of the result of an update", async () => {
    await put(tables.client, newerStored);
    const { Items } = await a.send(
      new QueryCommand({
        TableName: table,
        KeyConditionExpression: "pk = :pk",
        ExpressionAttributeValues: { ":pk": key.pk },
      }),
    );
    const { Responses } = await a.send(
      new BatchGetCommand({ RequestItems: { [table]: { Keys: [{ ...key }] } } }),
    );
    const { Attributes } = await a.send(
      new UpdateCommand({
        TableName: table,
        Key: key,
        UpdateExpression: "SET item_count = :four",
        ExpressionAttributeValues: { ":four": 4 },
        ReturnValues: "ALL_NEW",
      }),
    );

    expect(Items).toEqual([older]);
    expect(Responses).toEqual({ [table]: [older] });
    expect(Attributes).toEqual({ ...older, item_count: 4 });
    expect(await stored()).toEqual({ ...newerStored, item_count: 4 });
  });

  it("converts a row of the newer version if a projection names an attribute of the older version", async () => {
    await put(tables.client, newerStored);
    const { Item } = await a.send(
      new GetCommand({
        TableName: table,
        Key: key,
        ProjectionExpression: "#name",
        ExpressionAttributeNames: { "#name": "name" },
      }),
    );

    expect(Item).toEqual({ ...key, name: "shoes" });
  });

  it("converts the row in the error of a failed condition", async () => {
    await put(tables.client, newerStored);
    const refused = a.send(
      new DeleteCommand({
        TableName: table,
        Key: key,
        ConditionExpression: "item_count = :four",
        ExpressionAttributeValues: { ":four": 4 },
        ReturnValuesOnConditionCheckFailure: "ALL_OLD",
      }),
    );
    const error = await refused.catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(ConditionalCheckFailedException);
    expect(unmarshall((error as ConditionalCheckFailedException).Item ?? {})).toEqual(older);
  });

  it("refuses a row of a version that it does not accept", async () => {
    const refusal = (version: number, accepted: string) =>
      expect.objectContaining({
        code: "UNAVAILABLE",
        cause: expect.stringContaining(
          `has version ${version}, and this release accepts ${accepted}`,
        ) as string,
      }) as Error;
    await put(tables.client, { name: "shoes" });
    await expect(read(c)).rejects.toEqual(refusal(1, "2"));

    await put(tables.client, { label: ["shoes"], stored_version: 3 });
    await expect(read(b)).rejects.toEqual(refusal(3, "1 and 2"));
    await expect(read(versionedClient(tables.client))).rejects.toEqual(refusal(3, "1"));
  });

  it("refuses a filter by an attribute whose form a conversion changes", async () => {
    const query = new QueryCommand({
      TableName: table,
      KeyConditionExpression: "pk = :pk",
      FilterExpression: "label = :label",
      ExpressionAttributeValues: { ":pk": key.pk, ":label": "shoes" },
    });

    await expect(b.send(query)).rejects.toThrow("a filter must not name an attribute");
  });
});

describe("a versioned client that accepts only version 2", () => {
  const ofWatchlist = {
    KeyConditionExpression: "pk = :pk",
    ExpressionAttributeValues: { ":pk": key.pk },
  };

  it("accepts rows without a version attribute from an index that contains only keys", async () => {
    const due = { ...key, due: "runs", due_at: "2026-11-23" };
    const index = watchedClient(tables.client, async () => ({ Items: [due] }));
    const client = versionedClient(index, { kinds: kindsAt(2, false) });
    const { Items } = await client.send(
      new QueryCommand({ TableName: table, IndexName: "due", ...ofWatchlist }),
    );

    expect(Items).toEqual([due]);
  });

  it("accepts rows without a version attribute from a projection of a query or of a single row", async () => {
    await put(c, { label: ["shoes"], item_count: 3 });
    const { Items } = await c.send(
      new QueryCommand({ TableName: table, ...ofWatchlist, ProjectionExpression: "pk, sk" }),
    );
    const { Item } = await c.send(
      new GetCommand({ TableName: table, Key: key, ProjectionExpression: "item_count" }),
    );

    expect(Items).toEqual([key]);
    expect(Item).toEqual({ item_count: 3 });
  });

  it("accepts rows without a version attribute from a batch only if the batch has a projection", async () => {
    const whole = await tables.create();
    await put(c, { label: ["shoes"], item_count: 3 });
    await c.send(new PutCommand({ TableName: whole, Item: { ...newer } }));
    const batch = new BatchGetCommand({
      RequestItems: {
        [table]: { Keys: [{ ...key }], ProjectionExpression: "pk, sk" },
        [whole]: { Keys: [{ ...key }] },
      },
    });
    expect((await c.send(batch)).Responses).toEqual({ [table]: [key], [whole]: [newer] });

    await tables.client.send(new PutCommand({ TableName: whole, Item: { ...older } }));
    await expect(c.send(batch)).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });

  it("refuses a row of another version if the projection includes the version attribute", async () => {
    const query = { TableName: table, ...ofWatchlist, ProjectionExpression: "sk, stored_version" };
    await put(tables.client, { name: "shoes", stored_version: 3 });

    await expect(c.send(new QueryCommand(query))).rejects.toMatchObject({ code: "UNAVAILABLE" });
  });
});

describe("a versioned client that puts rows", () => {
  it("stores no version attribute for version 1, and stores one for a later version", async () => {
    await put(a, { name: "shoes", item_count: 3 });
    expect(await stored()).toEqual(older);

    await put(b, { label: ["shoes"], item_count: 3 });
    expect(await stored()).toEqual(newerStored);

    await put(c, { label: ["shoes"], item_count: 3 });
    expect(await stored()).toEqual(newerStored);
  });

  it("stores the older version if the client is configured to write the previous version", async () => {
    await put(bPrevious, { label: ["shoes"], item_count: 3 });

    expect(await stored()).toEqual(older);
  });

  it("converts the rows of a batch, and returns unprocessed rows in the version of the code", async () => {
    const refusing = watchedClient(tables.client, async (command) => ({
      UnprocessedItems: (command as BatchWriteCommand).input.RequestItems,
    }));
    const RequestItems = { [table]: [{ PutRequest: { Item: { ...newer } } }] };
    const batch = new BatchWriteCommand({ RequestItems });
    const unwritten = versionedClient(refusing, { kinds: kindsAt(2), writes: "previous" });

    expect((await unwritten.send(batch)).UnprocessedItems).toEqual(RequestItems);
    await bPrevious.send(batch);
    expect(await stored()).toEqual(older);
  });
});

const rename = (name: "name" | "label", value: unknown, expected?: unknown) => ({
  TableName: table,
  Key: key,
  UpdateExpression: "SET #name = :value",
  ...(expected !== undefined && { ConditionExpression: "#name = :expected" }),
  ExpressionAttributeNames: { "#name": name },
  ExpressionAttributeValues: {
    ":value": value,
    ...(expected !== undefined && { ":expected": expected }),
  },
});

describe("a versioned client that updates an attribute that a conversion changes", () => {
  it("first converts a row of the older version to the newer version", async () => {
    await put(tables.client, { name: "shoes", item_count: 3 });
    await b.send(new UpdateCommand(rename("label", ["boots"], ["shoes"])));

    expect(await stored()).toEqual({ ...newerStored, label: ["boots"] });
  });

  it("first converts a row of the newer version back to the older version", async () => {
    await put(tables.client, newerStored);
    await a.send(new UpdateCommand(rename("name", "boots", "shoes")));

    expect(await stored()).toEqual({ ...older, name: "boots" });
  });

  it("first converts the row of a transaction, and then sends the update with its condition", async () => {
    const other = watchlistKeys.run("wl_1", 8);
    const transaction = (expected: unknown) =>
      new TransactWriteCommand({
        TransactItems: [
          { Put: { TableName: table, Item: { ...other, label: ["new"] } } },
          { Update: rename("label", ["boots"], expected) },
        ],
      });
    await put(tables.client, { name: "shoes", item_count: 3 });
    const error = await b.send(transaction(["hats"])).catch((thrown: unknown) => thrown);

    expect(error).toBeInstanceOf(TransactionCanceledException);
    expect(await stored()).toEqual(newerStored);
    await b.send(transaction(["shoes"]));
    expect(await stored()).toEqual({ ...newerStored, label: ["boots"] });
  });

  it("stores the version in a row that the update creates", async () => {
    await b.send(new UpdateCommand(rename("label", ["boots"])));

    expect(await stored()).toEqual({ ...key, label: ["boots"], stored_version: 2 });
  });

  it("throws without repeating the request if the condition in the caller's request fails", async () => {
    let requests = 0;
    const counted = watchedClient(tables.client, (_, send) => {
      requests += 1;
      return send();
    });
    await put(tables.client, newerStored);
    const client = versionedClient(counted, { kinds: kindsAt(2) });

    await expect(
      client.send(new UpdateCommand(rename("label", ["boots"], ["hats"]))),
    ).rejects.toThrow(ConditionalCheckFailedException);
    expect(requests).toBe(1);
  });

  it("keeps a change that another process makes to the row during the conversion", async () => {
    await put(tables.client, { name: "shoes", item_count: 3 });
    let conversions = 0;
    const overtaken = watchedClient(tables.client, async (command, send) => {
      const { UpdateExpression: update } = (command as UpdateCommand).input;
      const isConversion = update?.includes("REMOVE") === true;
      if (isConversion && conversions === 0) {
        await tables.client.send(new UpdateCommand(rename("name", "hats")));
      }
      conversions += isConversion ? 1 : 0;
      return send();
    });
    const client = versionedClient(overtaken, { kinds: kindsAt(2) });

    await expect(
      client.send(new UpdateCommand(rename("label", ["boots"], ["shoes"]))),
    ).rejects.toThrow(ConditionalCheckFailedException);
    expect(await stored()).toEqual({ ...newerStored, label: ["hats"] });
  });
});

describe("a versioned client that updates an attribute that no conversion changes", () => {
  it("does not convert the row", async () => {
    await put(tables.client, newerStored);
    const update = new UpdateCommand({
      TableName: table,
      Key: key,
      UpdateExpression: "ADD item_count :one",
      ExpressionAttributeValues: { ":one": 1 },
    });
    await a.send(update);
    expect(await stored()).toEqual({ ...newerStored, item_count: 4 });

    await b.send(update);
    expect(await stored()).toEqual({ ...newerStored, item_count: 5 });
  });
});

describe("a versioned client whose row kinds have only version 1", () => {
  it("sends each request unchanged", async () => {
    const sent: unknown[] = [];
    const recording = watchedClient(tables.client, async (command) => {
      sent.push(command);
      return {};
    });
    const commands = [
      new PutCommand({ TableName: table, Item: { ...older } }),
      new UpdateCommand(rename("name", "boots", "shoes")),
    ];
    for (const command of commands) await versionedClient(recording).send(command as PutCommand);

    expect(sent[0]).toBe(commands[0]);
    expect(sent[1]).toBe(commands[1]);
  });
});
