/** Key schema shared by every table, read by the CDK app and by the adapters. */
export const tableSchema = {
  partitionKey: "pk",
  sortKey: "sk",
  /** Epoch seconds after which DynamoDB may delete the row; never trusted as a condition. */
  timeToLive: "ttl",
  /** Sparse index of rows that somebody must look at by a certain time. */
  dueIndex: { name: "due", partitionKey: "due_kind", sortKey: "due_at" },
} as const;

/** What may stand in `due_kind`; `due_at` is an ISO 8601 time. */
export type DueKind = "watchlist" | "run" | "hold" | "outbox" | "purge";
