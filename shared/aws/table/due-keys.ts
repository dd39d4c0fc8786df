import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type DueKind, tableSchema } from "../../base/table-schema.ts";
import { duePartitionOf, duePartitionsOf } from "./due-partitions.ts";
import type { Row } from "./dynamo.ts";
import { firstRows, queryRows } from "./query-rows.ts";
import type { RowKey } from "./table.ts";

/** The key of a due row, and its due time. */
export interface DueKey extends RowKey {
  /** ISO 8601. */
  readonly dueAt: string;
}

/** A time after every due time, with which a query returns all rows of a kind. */
export const latestDueTime = new Date("9999-12-31T23:59:59.999Z");

const { name, partitionKey, sortKey } = tableSchema.dueIndex;

/**
 * Lists the keys of up to `limit` rows of one kind that are due at or before `by`, in the order of
 * their due times. Queries all partitions of the kind in parallel for `limit` rows each, because
 * one partition may contain all due rows. The index is eventually consistent, so the caller must
 * check a row before it acts on it.
 */
export async function dueKeys(
  client: DynamoDBDocumentClient,
  table: string,
  query: { readonly kind: DueKind; readonly by: Date; readonly limit: number },
): Promise<readonly DueKey[]> {
  const { kind, by, limit } = query;
  const foundPartitions = await Promise.all(
    duePartitionsOf(kind).map((partition) => readDue(client, table, { partition, by, limit })),
  );
  return foundPartitions.flat().toSorted(longestDueFirst).slice(0, limit);
}

/**
 * Lists the keys of all rows of one kind that have the partition key `pk` and are due at or before
 * `by`, in no particular order. Rows with the same partition key share one partition of the index.
 * Rows that were stored when the kind had fewer partitions can be in other partitions; `everywhere`
 * also finds these rows.
 */
export async function dueKeysOf(
  client: DynamoDBDocumentClient,
  table: string,
  query: {
    readonly kind: DueKind;
    readonly by: Date;
    readonly pk: string;
    /**
     * True to query every index partition of the kind, false to query only the partition to which
     * rows with the key `pk` are now written.
     */
    readonly everywhere: boolean;
  },
): Promise<readonly DueKey[]> {
  const { kind, by, pk, everywhere } = query;
  const partitions = everywhere ? duePartitionsOf(kind) : [duePartitionOf(kind, pk)];
  const foundPartitions = await Promise.all(
    partitions.map((partition) => readDue(client, table, { partition, by, pk })),
  );
  return foundPartitions.flat();
}

interface DueQuery {
  /** A partition key of the index. */
  readonly partition: string;
  readonly by: Date;
  /** Only rows with this partition key of the table. @default rows with any key */
  readonly pk?: string;
  readonly limit?: number;
}

/** Reads the keys of the due rows in one partition of the index, the longest due first. */
async function readDue(
  client: DynamoDBDocumentClient,
  table: string,
  { partition, by, pk, limit }: DueQuery,
): Promise<readonly DueKey[]> {
  const query = {
    TableName: table,
    IndexName: name,
    KeyConditionExpression: "#partition = :partition AND #at <= :by",
    FilterExpression: pk === undefined ? undefined : "pk = :pk",
    ExpressionAttributeNames: { "#partition": partitionKey, "#at": sortKey },
    ExpressionAttributeValues: {
      ":partition": partition,
      ":by": by.toISOString(),
      ...(pk === undefined ? {} : { ":pk": pk }),
    },
  };
  const rows =
    limit === undefined
      ? await Array.fromAsync(queryRows(client, query))
      : await firstRows(client, query, limit);
  return rows.map(dueKeyOf);
}

/**
 * Compares keys by due time, earliest first. ISO 8601 times of the same precision sort as strings.
 */
const longestDueFirst = (one: DueKey, other: DueKey): number => {
  if (one.dueAt === other.dueAt) return 0;
  return one.dueAt < other.dueAt ? -1 : 1;
};

const dueKeyOf = (row: Row): DueKey => ({
  pk: String(row["pk"]),
  sk: String(row["sk"]),
  dueAt: String(row[sortKey]),
});
