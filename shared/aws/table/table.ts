import { createHash } from "node:crypto";
import type { OutboxEntry, DeliveryTarget } from "../../outbox/outbox.ts";

/** The key of a row. This file defines every key shape of the service's tables. */
export interface RowKey {
  readonly pk: string;
  readonly sk: string;
}

const pad = (n: number, width: number): string => String(n).padStart(width, "0");

const shardPartition = (accountId: string, shard: number): string =>
  `account#${accountId}#shard#${pad(shard, 2)}`;

/** Accounts table: accounts, their keys, holds and daily usage. */
export const accountKeys = {
  account: (accountId: string): RowKey => ({ pk: `account#${accountId}`, sk: "account" }),
  /** Listing record of an API key. */
  key: (accountId: string, keyId: string): RowKey => ({
    pk: `account#${accountId}`,
    sk: `key#${keyId}`,
  }),
  /** Counter of the account's keys, for the per-account limit. */
  keyCount: (accountId: string): RowKey => ({ pk: `account#${accountId}`, sk: "keys" }),
  /** Lookup and rate record of an API key. */
  keyHash: (hash: string): RowKey => ({ pk: `key#${hash}`, sk: "key" }),
  hold: (accountId: string, holdId: string): RowKey => ({
    pk: `account#${accountId}`,
    sk: `hold#${holdId}`,
  }),
  /** Marker of an executed grant, purchase or adjustment. */
  change: (accountId: string, changeId: string): RowKey => ({
    pk: `account#${accountId}`,
    sk: `change#${changeId}`,
  }),
  /** Usage of a day from before the account had shards. */
  usage: (accountId: string, date: string): RowKey => ({
    pk: `account#${accountId}`,
    sk: `usage#${date}`,
  }),
  /** A part of the account's credits. Each shard has a separate partition key, with separate throughput limits. */
  shard: (accountId: string, shard: number): RowKey => ({
    pk: shardPartition(accountId, shard),
    sk: "shard",
  }),
  /** Usage of a day: the records that a shard has copied to pages. */
  shardUsage: (accountId: string, shard: number, date: string): RowKey => ({
    pk: shardPartition(accountId, shard),
    sk: `usage#${date}`,
  }),
  /** The time at which the next call to a source may start. */
  sourceRate: (source: string): RowKey => ({ pk: `source#${source}`, sk: "rate" }),
};

/** Ledger table: append-only. */
export const ledgerKeys = {
  /** A page of a shard's journal, by the stamp of its first record. */
  page: (accountId: string, shard: number, firstStamp: number): RowKey => ({
    pk: shardPartition(accountId, shard),
    sk: `page#${pad(firstStamp, 16)}`,
  }),
  /** The highest stamp that sorts correctly. */
  stampMax: 9_000_000_000_000_000,
  /** The highest sequence that sorts correctly. */
  sequenceMax: 999_999_999_999,
  /** An entry from before the account had shards, by its number. */
  entry: (accountId: string, sequence: number): RowKey => ({
    pk: `account#${accountId}`,
    sk: `entry#${pad(sequence, 12)}`,
  }),
};

/** Watchlists table: watchlists, their pages of items, runs and step results. */
export const watchlistKeys = {
  list: (accountId: string, watchlistId: string): RowKey => ({
    pk: `account#${accountId}`,
    sk: `watchlist#${watchlistId}`,
  }),
  /** Counter of the account's watchlists, for the per-account limit. */
  count: (accountId: string): RowKey => ({ pk: `account#${accountId}`, sk: "watchlists" }),
  /** Record of a request that created a watchlist, by the hash of its idempotency key. */
  idempotency: (accountId: string, keyHash: string): RowKey => ({
    pk: `account#${accountId}`,
    sk: `idempotency#${keyHash}`,
  }),
  /** Purge mark: a deleted or never completed watchlist whose rows have to be deleted. */
  purge: (watchlistId: string): RowKey => ({ pk: `watchlist#${watchlistId}`, sk: "purge" }),
  /** A page of items, by the lowest ID of its range, so that pages sort as their items do. */
  page: (watchlistId: string, lowest: string): RowKey => ({
    pk: `watchlist#${watchlistId}`,
    sk: `page#${lowest}`,
  }),
  run: (watchlistId: string, runNumber: number): RowKey => ({
    pk: `watchlist#${watchlistId}`,
    sk: `run#${pad(runNumber, 8)}`,
  }),
  /** A chunk of the items that start at a step, by the name of the plan. */
  starts: (runId: string, start: { plan: string; step: string; chunk: number }): RowKey => ({
    pk: `run#${runId}`,
    sk: `starts#${start.plan}#${start.step}#${pad(start.chunk, 5)}`,
  }),
  step: (runId: string, stepId: string): RowKey => ({ pk: `run#${runId}`, sk: `step#${stepId}` }),
  result: (runId: string, batch: { step: string; plan: string; number: number }): RowKey => ({
    pk: `run#${runId}`,
    sk: `result#${batch.step}#${batch.plan}#${pad(batch.number, 5)}`,
  }),
  batch: (runId: string, batch: { step: string; plan: string; number: number }): RowKey => ({
    pk: `run#${runId}`,
    sk: `batch#${batch.step}#${batch.plan}#${pad(batch.number, 5)}`,
  }),
};

/** The account of a row whose partition key begins with `account#`. */
export const accountIdOf = (key: Pick<RowKey, "pk">): string => key.pk.split("#")[1] ?? "";

/** Deliveries table: webhook endpoints, the S3 destination, the event feed, logs and outboxes. */
export const deliveryKeys = {
  endpoint: (accountId: string, endpointId: string): RowKey => ({
    pk: `${accountId}#endpoints`,
    sk: `endpoint#${endpointId}`,
  }),
  /** The last URL of a deleted endpoint. */
  deletedEndpoint: (accountId: string, endpointId: string): RowKey => ({
    pk: `${accountId}#endpoints`,
    sk: `deleted#${endpointId}`,
  }),
  /** Claim of a URL by one endpoint. Hashed, because a URL may be longer than a key. */
  endpointUrl: (accountId: string, url: string): RowKey => ({
    pk: `${accountId}#endpoints`,
    sk: `url#${createHash("sha256").update(url).digest("hex")}`,
  }),
  /** Counter of the account's endpoints, for the per-account limit. */
  endpointCount: (accountId: string): RowKey => ({ pk: `${accountId}#endpoints`, sk: "count" }),
  destination: (accountId: string): RowKey => ({
    pk: `${accountId}#destination`,
    sk: "destination",
  }),
  /** A delivery in the log. Its ID begins with the event's time, so deliveries sort by time. */
  delivery: (accountId: string, id: string): RowKey => ({ pk: `${accountId}#deliveries`, sk: id }),
  /** An export in the log. Its ID begins with the time the run ended. */
  export: (accountId: string, id: string): RowKey => ({ pk: `${accountId}#exports`, sk: id }),
  /** A delivery target: its due time, its lease and its health. */
  outbox: ({ accountId, targetId }: DeliveryTarget): RowKey => ({
    pk: `${accountId}#outbox`,
    sk: targetId,
  }),
  /** An entry of a target's outbox; sorts by lane, then by due time. */
  outboxEntry: (
    { accountId, targetId }: DeliveryTarget,
    { lane, dueAt: due, key }: Pick<OutboxEntry, "lane" | "dueAt" | "key">,
  ): RowKey => ({ pk: `${accountId}#outbox#${targetId}`, sk: `${lane}#${due}#${key}` }),
  /** The number of the account's newest run in the feed. */
  feedCount: (accountId: string): RowKey => ({ pk: `${accountId}#feed`, sk: "count" }),
  /** A run in the feed, by its number. */
  feedEntry: (accountId: string, sequence: number): RowKey => ({
    pk: `${accountId}#feed`,
    sk: `run#${pad(sequence, 12)}`,
  }),
  /** A run in the feed, by the time it ended. Its condition adds a run to the feed once. */
  feedRun: (accountId: string, run: { createdAt: string; runId: string }): RowKey => ({
    pk: `${accountId}#feedruns`,
    sk: `${run.createdAt}#${run.runId}`,
  }),
};

export const epochSeconds = (at: Date): number => Math.floor(at.getTime() / 1_000);
