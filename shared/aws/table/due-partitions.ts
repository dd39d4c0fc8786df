import { createHash } from "node:crypto";
import { type DueKind, duePartitions, tableSchema } from "../../base/table-schema.ts";
import type { Row } from "./dynamo.ts";
import type { RowKey } from "./table.ts";

const { partitionKey, sortKey } = tableSchema.dueIndex;

/** Attributes that put a row into the due index, into the partition that its key leads to. */
export const dueAt = (
  kind: DueKind,
  { pk }: RowKey,
  at: Date,
): { due_kind: string; due_at: string } => ({
  [partitionKey]: duePartitionOf(kind, pk),
  [sortKey]: at.toISOString(),
});

/**
 * The partition of the index with all rows of a kind that share a partition key of the table. An
 * account's holds stand in one: whoever gives them back asks that one, and not all of them. They
 * cannot fill it alone: their transactions write the account's own row, which has the same bound,
 * with twice the units.
 */
export function duePartitionOf(kind: DueKind, pk: string): string {
  const digest = createHash("sha256").update(pk).digest();
  return duePartition(kind, digest.readUInt32BE() % duePartitions[kind]);
}

/** Every partition of the index that has rows of a kind. */
export const duePartitionsOf = (kind: DueKind): readonly string[] =>
  Array.from({ length: duePartitions[kind] }, (_, number) => duePartition(kind, number));

const duePartition = (kind: DueKind, number: number): string =>
  `${kind}#${String(number).padStart(2, "0")}`;

/** When a row is due as one of a kind, in ISO 8601; null for a row that nobody would find as such. */
export function dueTimeOf(kind: DueKind, row: Row | undefined): string | null {
  const partition: unknown = row?.[partitionKey];
  const due: unknown = row?.[sortKey];
  const isFound = typeof partition === "string" && duePartitionsOf(kind).includes(partition);
  return isFound && typeof due === "string" ? due : null;
}
