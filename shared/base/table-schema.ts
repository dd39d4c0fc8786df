/** Key schema of all tables, for the CDK app and the adapters. */
export const tableSchema = {
  partitionKey: "pk",
  sortKey: "sk",
  /** Unix seconds after which DynamoDB may delete the row, at a time that is not defined. */
  timeToLive: "ttl",
  /** Sparse index of rows by due time (`due_at`, ISO 8601). */
  dueIndex: { name: "due", partitionKey: "due_kind", sortKey: "due_at" },
} as const;

/**
 * The kinds of rows that are due, and over how many partitions of the index each is spread. DynamoDB
 * takes 1,000 writes a second to one partition, and refuses writes to the table itself while its
 * index cannot follow. The sweeper asks every partition every minute. A number may grow: the sweeper
 * finds what was written before as well. It must not shrink while rows are due.
 */
export const duePartitions = {
  /** Two writes for each item call: 8,000 calls a second, more than the table itself takes. */
  hold: 16,
  /** Some eight requests each time an outbox is drained: 1,000 a second. */
  outbox: 8,
  /** Some eight for each run: 1,000 a second. */
  run: 8,
  /** Two for each run: 2,000 a second. */
  watchlist: 4,
  /** Two for a list that is created, some four for one that is deleted: 500 a second. */
  purge: 2,
} as const;

export type DueKind = keyof typeof duePartitions;
