import { createHash } from "node:crypto";
import { type DueKind, duePartitions, tableSchema } from "../../base/table-schema.ts";
import type { Row } from "./dynamo.ts";
import type { RowKey } from "./table.ts";

const { partitionKey, sortKey } = tableSchema.dueIndex;

/** Returns the attributes of a row that add it to the due index with the due time `at`. */
export const dueAt = (
  kind: DueKind,
  { pk }: RowKey,
  at: Date,
): { due_kind: string; due_at: string } => ({
  [partitionKey]: duePartitionOf(kind, pk),
  [sortKey]: at.toISOString(),
});

/**
 * Returns the partition of the due index for all rows of a kind whose partition key is `pk`. All
 * hold rows of an account have the same `pk`, so they share one partition of the index. This
 * partition cannot become a bottleneck: the row of a hold takes twice as many write units as its
 * index entry, so the partition of the table reaches its limit first.
 */
export function duePartitionOf(kind: DueKind, pk: string): string {
  const digest = createHash("sha256").update(pk).digest();
  return duePartition(kind, digest.readUInt32BE() % duePartitions[kind]);
}

/** Returns all partitions of the due index that rows of a kind can be in. */
export const duePartitionsOf = (kind: DueKind): readonly string[] =>
  Array.from({ length: duePartitions[kind] }, (_, number) => duePartition(kind, number));

const duePartition = (kind: DueKind, number: number): string =>
  `${kind}#${String(number).padStart(2, "0")}`;

/**
 * Returns the due time of a row in ISO 8601. Returns null if the row is undefined or not in the
 * index under this kind.
 */
export function dueTimeOf(kind: DueKind, row: Row | undefined): string | null {
  const partition: unknown = row?.[partitionKey];
  const due: unknown = row?.[sortKey];
  const isFound = typeof partition === "string" && duePartitionsOf(kind).includes(partition);
  return isFound && typeof due === "string" ? due : null;
}
