import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { readRow } from "../../../../shared/aws/table/row-reads.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";

const tables = openTables();
const key = (n: number) => ({ pk: "rows", sk: String(n) });
let table: string;
let sent: string[];
let client: typeof tables.client;
beforeEach(async () => {
  table = await tables.create();
  sent = [];
  client = watchedClient(tables.client, (command, send) => {
    sent.push(command.constructor.name);
    return send();
  });
});
const put = (n: number) =>
  tables.client.send(new PutCommand({ TableName: table, Item: { ...key(n), n } }));

describe("reads of single rows", () => {
  it("are combined into one request if they begin in the same turn of the event loop", async () => {
    await Promise.all([put(1), put(2)]);
    const afterAwait = async (n: number) => {
      await Promise.resolve();
      await Promise.resolve();
      return readRow(client, table, key(n));
    };

    expect(
      await Promise.all([
        readRow(client, table, key(1)),
        afterAwait(2),
        readRow(client, table, key(3)),
      ]),
    ).toEqual([{ ...key(1), n: 1 }, { ...key(2), n: 2 }, undefined]);
    expect(sent).toEqual(["BatchGetCommand"]);
  });

  it("read a row only once if several callers request the same row", async () => {
    await put(1);
    const rows = await Promise.all([
      readRow(client, table, key(1)),
      readRow(client, table, key(1)),
    ]);

    expect(rows).toEqual([
      { ...key(1), n: 1 },
      { ...key(1), n: 1 },
    ]);
    expect(sent).toEqual(["GetCommand"]);
  });

  it("are separate requests if they begin in different turns of the event loop, and the later read returns a row that was written before it", async () => {
    expect(await readRow(client, table, key(1))).toBeUndefined();
    await put(1);

    expect(await readRow(client, table, key(1))).toEqual({ ...key(1), n: 1 });
    expect(sent).toEqual(["GetCommand", "GetCommand"]);
  });

  it("are several requests if they begin together and read more than 100 rows", async () => {
    const numbers = Array.from({ length: 101 }, (_, n) => n);
    await Promise.all(numbers.map((n) => put(n)));
    const rows = await Promise.all(numbers.map((n) => readRow(client, table, key(n))));

    expect(rows.map((row) => row?.["n"])).toEqual(numbers);
    expect(sent).toEqual(["BatchGetCommand", "GetCommand"]);
  });

  it("read each row that DynamoDB left out of a batch with a separate request", async () => {
    await Promise.all([put(1), put(2)]);
    const leaving = watchedClient(tables.client, (command, send) => {
      sent.push(command.constructor.name);
      const left = { Responses: {}, UnprocessedKeys: { [table]: { Keys: [key(1), key(2)] } } };
      return command.constructor.name === "BatchGetCommand" ? Promise.resolve(left) : send();
    });
    const rows = await Promise.all([
      readRow(leaving, table, key(1)),
      readRow(leaving, table, key(2)),
    ]);

    expect(rows.map((row) => row?.["n"])).toEqual([1, 2]);
    expect(sent).toEqual(["BatchGetCommand", "GetCommand", "GetCommand"]);
  });

  it("all fail if their request fails, and later reads are not affected", async () => {
    await put(1);
    let fails = true;
    const failing = watchedClient(tables.client, (_, send) =>
      fails ? Promise.reject(new Error("no table")) : send(),
    );
    const reads = await Promise.allSettled([
      readRow(failing, table, key(1)),
      readRow(failing, table, key(2)),
    ]);
    expect(reads.map(({ status }) => status)).toEqual(["rejected", "rejected"]);

    fails = false;
    expect(await readRow(failing, table, key(1))).toEqual({ ...key(1), n: 1 });
  });
});
