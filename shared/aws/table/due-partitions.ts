import { createHash } from "node:crypto";
import { type DueKind, duePartitions, tableSchema } from "../../base/table-schema.ts";
import type { Row } from "./dynamo.ts";
import type { RowKey } from "./table.ts";

const { partitionKey, sortKey } = tableSchema.dueIndex;

/** The attributes that put a row into the due index, in the partition of its partition key. */
export const dueAt = (
  kind: DueKind,
  { pk }: RowKey,
  at: Date,
): { due_kind: string; due_at: string } => ({
  [partitionKey]: duePartitionOf(kind, pk),
  [sortKey]: at.toISOString(),
});

/**
 * The partition of the index for all rows of a kind that share a partition key of the table. All holds
 * of an account are in one, so releasing them queries one partition. One account cannot exhaust its
 * throughput: each transaction of a hold also writes the account's row, which has the same limit, with
 * twice the write units.
 */
export function duePartitionOf(kind: DueKind, pk: string): string {
  const digest = createHash("sha256").update(pk).digest();
  return duePartition(kind, digest.readUInt32BE() % duePartitions[kind]);
}

/** All partitions of the index for a kind. */
export const duePartitionsOf = (kind: DueKind): readonly string[] =>
  Array.from({ length: duePartitions[kind] }, (_, number) => duePartition(kind, number));

const duePartition = (kind: DueKind, number: number): string =>
  `${kind}#${String(number).padStart(2, "0")}`;

/** The due time of a row as one of a kind, in ISO 8601; null for a row that no query of the kind finds. */
export function dueTimeOf(kind: DueKind, row: Row | undefined): string | null {
  const partition: unknown = row?.[partitionKey];
  const due: unknown = row?.[sortKey];
  const isFound = typeof partition === "string" && duePartitionsOf(kind).includes(partition);
  return isFound && typeof due === "string" ? due : null;
}
