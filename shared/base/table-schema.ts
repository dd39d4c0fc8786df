/** Key schema of all tables, for the CDK app and the adapters. */
export const tableSchema = {
  partitionKey: "pk",
  sortKey: "sk",
  /** Unix seconds after which DynamoDB may delete the row. The deletion can happen days later. */
  timeToLive: "ttl",
  /** Sparse index of rows by due time (`due_at`, ISO 8601). */
  dueIndex: { name: "due", partitionKey: "due_kind", sortKey: "due_at" },
} as const;

/**
 * Kinds of rows in the due index, with the number of index partitions of each. DynamoDB accepts
 * 1,000 writes a second for one partition, and throttles the table if its index is too slow. The
 * sweeper queries every partition every minute. A number may increase, because the sweeper still
 * finds the rows that were written before. It must not decrease while the index has rows of the
 * kind.
 */
export const duePartitions = {
  /**
   * Each step of a run makes two index writes. 16 partitions are enough for 8,000 steps a second,
   * which is more than the table accepts. Item calls seldom write to the index, because all holds
   * of a shard share one entry.
   */
  hold: 16,
  /**
   * Each drain of a delivery target makes about eight index writes. Eight partitions accept 8,000
   * writes a second, which is enough for 1,000 drains a second.
   */
  outbox: 8,
  /**
   * Each run makes about eight index writes. Eight partitions accept 8,000 writes a second, which
   * is enough for 1,000 runs a second.
   */
  run: 8,
  /** Each run makes two index writes. Four partitions are enough for 2,000 runs a second. */
  watchlist: 4,
  /**
   * Each creation of a watchlist makes two index writes, and each deletion about four. Two
   * partitions are enough for 500 deletions a second.
   */
  purge: 2,
} as const;

export type DueKind = keyof typeof duePartitions;
