import { BatchWriteCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { dueKeys, dueKeysOf } from "../../../../shared/aws/table/due-keys.ts";
import {
  dueAt,
  duePartitionOf,
  duePartitionsOf,
} from "../../../../shared/aws/table/due-partitions.ts";
import type { RowKey } from "../../../../shared/aws/table/table.ts";
import { type DueKind, duePartitions } from "../../../../shared/base/table-schema.ts";
import { openTables } from "../../../support/tables.ts";
import { watchedClient } from "../../../support/watched-client.ts";

const kinds = Object.keys(duePartitions) as DueKind[];
const at = (second: number): Date => new Date(Date.UTC(2026, 2, 1, 10, 0, second));

const tables = openTables();
let table: string;
beforeEach(async () => {
  table = await tables.create();
});

interface DueRow {
  readonly pk: string;
  readonly sk?: string;
  readonly second: number;
}

async function put(kind: DueKind, rows: readonly DueRow[]): Promise<void> {
  const puts = rows.map(({ pk, sk = "row", second }) => ({
    PutRequest: { Item: { pk, sk, ...dueAt(kind, { pk, sk }, at(second)) } },
  }));
  for (let start = 0; start < puts.length; start += 25) {
    const RequestItems = { [table]: puts.slice(start, start + 25) };
    await tables.client.send(new BatchWriteCommand({ RequestItems }));
  }
}

/** Returns a partition key of the table for each partition of the due index, in their order. */
const pkPerPartition = (kind: DueKind): readonly string[] =>
  duePartitionsOf(kind).map((partition) => {
    for (let n = 0; ; n += 1) if (duePartitionOf(kind, `pk-${n}`) === partition) return `pk-${n}`;
  });

/**
 * Returns `wanted` partition keys of the table whose rows are in one partition of the due index.
 */
function pksOf(kind: DueKind, partition: string, wanted: number): readonly string[] {
  const found: string[] = [];
  for (let n = 0; found.length < wanted; n += 1) {
    if (duePartitionOf(kind, `pk-${n}`) === partition) found.push(`pk-${n}`);
  }
  return found;
}

const pks = (keys: readonly Pick<RowKey, "pk">[]): string[] => keys.map(({ pk }) => pk);

describe("dueKeys, which reads the index of due rows,", () => {
  it.each(kinds)("finds a row of kind %s in every partition", async (kind) => {
    const rows = pkPerPartition(kind).map((pk, n) => ({ pk, second: n }));
    await put(kind, rows);

    const found = await dueKeys(tables.client, table, { kind, by: at(59), limit: 100 });
    expect(found).toEqual(
      rows.map(({ pk, second }) => ({ pk, sk: "row", dueAt: at(second).toISOString() })),
    );
  });

  it("sends one parallel query to every partition of the due index", async () => {
    const asked: string[] = [];
    const everyOneAsked = Promise.withResolvers<void>();
    const client = watchedClient(tables.client, async (command, send) => {
      expect(command).toBeInstanceOf(QueryCommand);
      const { ExpressionAttributeValues } = (command as QueryCommand).input;
      asked.push(String(ExpressionAttributeValues?.[":partition"]));
      if (asked.length === duePartitions.hold) everyOneAsked.resolve();
      await everyOneAsked.promise;
      return send();
    });

    await dueKeys(client, table, { kind: "hold", by: at(0), limit: 1_000 });
    expect(asked.toSorted()).toEqual(duePartitionsOf("hold"));
  });

  it("merges the rows of all partitions by due time, and returns the rows that have been due longest", async () => {
    const rows = Array.from({ length: 48 }, (_, n) => ({ pk: `pk-${n}`, second: (n * 29) % 48 }));
    await put("run", rows);
    const sorted = rows.toSorted((one, other) => one.second - other.second);

    for (const limit of [1, 7, 47, 48, 49]) {
      const found = await dueKeys(tables.client, table, { kind: "run", by: at(59), limit });
      expect(pks(found)).toEqual(pks(sorted.slice(0, limit)));
    }
  });

  it("returns as many rows as requested even if one partition contains all of these rows", async () => {
    const [partition = "", other = ""] = duePartitionsOf("outbox");
    const [last = ""] = pksOf("outbox", other, 1);
    const first = pksOf("outbox", partition, 9);
    await put("outbox", [...first.map((pk, n) => ({ pk, second: n })), { pk: last, second: 30 }]);

    const found = await dueKeys(tables.client, table, { kind: "outbox", by: at(59), limit: 9 });
    expect(pks(found)).toEqual(first);
  });

  it("continues after a query response that DynamoDB ended early", async () => {
    const [partition = ""] = duePartitionsOf("watchlist");
    const wanted = pksOf("watchlist", partition, 5);
    await put(
      "watchlist",
      wanted.map((pk, n) => ({ pk, second: n })),
    );
    const client = watchedClient(tables.client, (command) => {
      const { input } = command as QueryCommand;
      return tables.client.send(
        new QueryCommand({ ...input, Limit: Math.min(2, input.Limit ?? 2) }),
      );
    });

    for (const limit of [3, 5, 10]) {
      const found = await dueKeys(client, table, { kind: "watchlist", by: at(59), limit });
      expect(pks(found)).toEqual(wanted.slice(0, limit));
    }
  });

  it("omits rows that are due later, rows of another kind and rows without a due time", async () => {
    await put("hold", [
      { pk: "pk-1", second: 5 },
      { pk: "pk-2", second: 6 },
    ]);
    await put("run", [{ pk: "pk-3", second: 1 }]);
    await tables.client.send(new PutCommand({ TableName: table, Item: { pk: "pk-4", sk: "row" } }));

    const found = await dueKeys(tables.client, table, { kind: "hold", by: at(5), limit: 10 });
    expect(pks(found)).toEqual(["pk-1"]);
  });
});

describe("dueKeysOf, which reads the due rows with one partition key of the table,", () => {
  it("finds all due rows with this partition key in one request, and no rows with other keys", async () => {
    const [partition = ""] = duePartitionsOf("hold");
    const [pk = "", neighbor = ""] = pksOf("hold", partition, 2);
    const sks = Array.from({ length: 30 }, (_, n) => `hold#${String(n).padStart(2, "0")}`);
    await put("hold", [
      ...sks.map((sk, second) => ({ pk, sk, second })),
      { pk, sk: "hold#later", second: 50 },
      { pk: neighbor, second: 3 },
    ]);
    const sent: unknown[] = [];
    const client = watchedClient(tables.client, (command, send) => {
      sent.push(command.constructor);
      return send();
    });

    const found = await dueKeysOf(client, table, {
      kind: "hold",
      by: at(40),
      pk,
      everywhere: false,
    });
    expect(found.map((key) => key.sk)).toEqual(sks);
    expect(new Set(pks(found))).toEqual(new Set([pk]));
    expect(sent).toEqual([QueryCommand]);
  });

  it("finds rows in every partition of the due index with the option 'everywhere'", async () => {
    const partitions = duePartitionsOf("hold");
    for (const [n, partition] of partitions.entries()) {
      for (const pk of ["pk-1", "pk-2"]) {
        const Item = { pk, sk: partition, due_kind: partition, due_at: at(n).toISOString() };
        await tables.client.send(new PutCommand({ TableName: table, Item }));
      }
    }

    const query = { kind: "hold", by: at(14), pk: "pk-1", everywhere: true } as const;
    const found = await dueKeysOf(tables.client, table, query);
    expect(found.map((key) => key.sk)).toEqual(partitions.slice(0, 15));
    expect(new Set(pks(found))).toEqual(new Set(["pk-1"]));
  });
});
