import { createHash } from "node:crypto";
import { limits } from "../../base/limits.ts";
import type { OutboxEntry, DeliveryTarget } from "../../outbox/outbox.ts";

/** Key of a row. This file defines all keys of the service's tables. */
export interface RowKey {
  readonly pk: string;
  readonly sk: string;
}

const pad = (n: number, width: number): string => String(n).padStart(width, "0");

const shardPartition = (accountId: string, shard: number): string =>
  `account#${accountId}#shard#${pad(shard, 2)}`;

/**
 * Builds the keys of rows in the accounts table: of accounts and their shards, API keys, holds and
 * daily usage, and of the shared rate limits and the health of sources.
 */
export const accountKeys = {
  account: (accountId: string): RowKey => ({ pk: `account#${accountId}`, sk: "account" }),
  /** Row of an API key in the list of its account. */
  key: (accountId: string, keyId: string): RowKey => ({
    pk: `account#${accountId}`,
    sk: `key#${keyId}`,
  }),
  /** Counter of the account's keys, for the per-account limit. */
  keyCount: (accountId: string): RowKey => ({ pk: `account#${accountId}`, sk: "keys" }),
  /** Row of an API key by its hash, with its owner and its admission times. */
  keyHash: (hash: string): RowKey => ({ pk: `key#${hash}`, sk: "key" }),
  /** Hold of a run's step, of a call whose charge was refunded, or of an unsharded call. */
  hold: (accountId: string, holdId: string): RowKey => ({
    pk: `account#${accountId}`,
    sk: `hold#${holdId}`,
  }),
  /**
   * The credits of a daily budget that are used on a UTC day. `owner`: the ID of a watchlist, or
   * `account` for the budget of the account.
   */
  dailyBudget: (accountId: string, owner: string, day: string): RowKey => ({
    pk: `account#${accountId}`,
    sk: `budget#${owner}#${day}`,
  }),
  /** Mark of an executed grant, purchase or adjustment. */
  change: (accountId: string, changeId: string): RowKey => ({
    pk: `account#${accountId}`,
    sk: `change#${changeId}`,
  }),
  /** Daily usage, stored before the account was split into shards. */
  usage: (accountId: string, date: string): RowKey => ({
    pk: `account#${accountId}`,
    sk: `usage#${date}`,
  }),
  /**
   * A shard: a part of the account's credits. Each shard has a separate partition key, so that each
   * has the full throughput of a partition.
   */
  shard: (accountId: string, shard: number): RowKey => ({
    pk: shardPartition(accountId, shard),
    sk: "shard",
  }),
  /** A shard's usage of a day, without the records that are still in its journal. */
  shardUsage: (accountId: string, shard: number, date: string): RowKey => ({
    pk: shardPartition(accountId, shard),
    sk: `usage#${date}`,
  }),
  /** The shared rate limit of a source. */
  sourceRate: (source: string): RowKey => ({ pk: `source#${source}`, sk: "rate" }),
  /** The counts of a scraper's reads in a period, by the start of the period. */
  sourceHealth: (scraper: string, startsAt: string): RowKey => ({
    pk: `source#${scraper}`,
    sk: `health#${startsAt}`,
  }),
};

/**
 * Builds the keys of rows in the ledger table: of journal pages and unsharded ledger entries. Rows
 * are added to this table, but never changed.
 */
export const ledgerKeys = {
  /** A page of a shard's journal, by the stamp of its first record. */
  page: (accountId: string, shard: number, firstStamp: number): RowKey => ({
    pk: shardPartition(accountId, shard),
    sk: `page#${pad(firstStamp, 16)}`,
  }),
  /** The highest stamp whose keys sort correctly. */
  stampMax: 9_000_000_000_000_000,
  /** The highest sequence of a ledger entry. Keys pad sequences to 12 digits, so that they sort. */
  sequenceMax: 999_999_999_999,
  /** An unsharded ledger entry, by its sequence. */
  entry: (accountId: string, sequence: number): RowKey => ({
    pk: `account#${accountId}`,
    sk: `entry#${pad(sequence, 12)}`,
  }),
};

/** The end of the sort key of the second row of a page of items. */
export const secondRowSuffix = "!";

/**
 * Builds the keys of rows in the watchlists table: of watchlists, their pages of items, runs and
 * step results. `historyKeys` builds the other keys of the table.
 */
export const watchlistKeys = {
  watchlist: (accountId: string, watchlistId: string): RowKey => ({
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
  /**
   * Mark of a watchlist that was deleted or not completely created, and whose rows must be purged.
   */
  purge: (watchlistId: string): RowKey => ({ pk: `watchlist#${watchlistId}`, sk: "purge" }),
  /** A back-test that runs as a job. */
  backtest: (watchlistId: string, id: string): RowKey => ({
    pk: `watchlist#${watchlistId}`,
    sk: `backtest#${id}`,
  }),
  /** Row with the ID of the account's back-test in progress. */
  backtestInProgress: (accountId: string): RowKey => ({
    pk: `account#${accountId}`,
    sk: "backtest",
  }),
  /** A page of items, by the lowest ID of its range. Pages sort like their items. */
  page: (watchlistId: string, lowest: string): RowKey => ({
    pk: `watchlist#${watchlistId}`,
    sk: `page#${lowest}`,
  }),
  /**
   * The second row of a page of items: the items that changed after the page's own row was written.
   * It directly follows the page's own row, because the suffix sorts before every character of an
   * item ID.
   */
  pageSecondRow: (watchlistId: string, lowest: string): RowKey => ({
    pk: `watchlist#${watchlistId}`,
    sk: `page#${lowest}${secondRowSuffix}`,
  }),
  /** A page of item details, by the lowest ID of its range. */
  detailsPage: (watchlistId: string, lowest: string): RowKey => ({
    pk: `watchlist#${watchlistId}`,
    sk: `details#${lowest}`,
  }),
  run: (watchlistId: string, runNumber: number): RowKey => ({
    pk: `watchlist#${watchlistId}`,
    sk: `run#${pad(runNumber, 8)}`,
  }),
  /** A batch of the IDs of the items that start at a step, by the ID of the run's plan. */
  starts: (runId: string, start: { plan: string; step: string; chunk: number }): RowKey => ({
    pk: `run#${runId}`,
    sk: `starts#${start.plan}#${start.step}#${pad(start.chunk, 5)}`,
  }),
  /** A planned step of a run. */
  step: (runId: string, stepId: string): RowKey => ({ pk: `run#${runId}`, sk: `step#${stepId}` }),
  /** The result of a batch. `plan` is the ID of the step's plan. */
  result: (runId: string, batch: { step: string; plan: string; number: number }): RowKey => ({
    pk: `run#${runId}`,
    sk: `result#${batch.step}#${batch.plan}#${pad(batch.number, 5)}`,
  }),
  /**
   * A chunk of the items of a batch, as they were before the batch. `attempt` is the random name of
   * one attempt to store the items. The result of the batch contains this name.
   */
  before: (
    runId: string,
    batch: { step: string; number: number; attempt: string; chunk: number },
  ): RowKey => ({
    pk: `run#${runId}`,
    sk: `before#${batch.step}#${pad(batch.number, 5)}#${batch.attempt}#${pad(batch.chunk, 5)}`,
  }),
  /**
   * A chunk of the item details of a result. It exists only if the details do not fit into the row
   * of the result.
   */
  resultDetails: (
    runId: string,
    batch: { step: string; plan: string; number: number },
    part: { digest: string; chunk: number },
  ): RowKey => ({
    pk: `run#${runId}`,
    sk:
      `details#${batch.step}#${batch.plan}#${pad(batch.number, 5)}` +
      `#${part.digest}#${pad(part.chunk, 3)}`,
  }),
  /** The planned items of a batch. `plan` is the ID of the step's plan. */
  batch: (runId: string, batch: { step: string; plan: string; number: number }): RowKey => ({
    pk: `run#${runId}`,
    sk: `batch#${batch.step}#${batch.plan}#${pad(batch.number, 5)}`,
  }),
};

const historyPartition = (watchlistId: string): string => `history#${watchlistId}`;

/**
 * Builds the keys of rows in the watchlists table that store the history of a watchlist's items.
 * All these rows of a watchlist share a partition key that no other rows have.
 */
export const historyKeys = {
  /** Row that records how far the history is merged. */
  head: (watchlistId: string): RowKey => ({ pk: historyPartition(watchlistId), sk: "head" }),
  /** A row with one chunk of the history points of a run. */
  run: (watchlistId: string, runNumber: number, chunk: number): RowKey => ({
    pk: historyPartition(watchlistId),
    sk: `run#${pad(runNumber, 9)}#${pad(chunk, 4)}`,
  }),
  /**
   * A chunk of the merged points of one window, for the items of one bucket (hash group of item
   * IDs).
   */
  items: (watchlistId: string, of: { bucket: number; window: number; chunk: number }): RowKey => ({
    pk: historyPartition(watchlistId),
    sk: `items#${pad(of.bucket, 3)}#${pad(of.window, 8)}#${pad(of.chunk, 4)}`,
  }),
};

/**
 * Returns the account ID in a partition key that begins with `account#`; an empty string if the key
 * contains no `#`.
 */
export const accountIdOf = (key: Pick<RowKey, "pk">): string => key.pk.split("#")[1] ?? "";

/**
 * Builds the keys of rows in the deliveries table: of webhook endpoints, the S3 destination, the
 * event feed, the logs of deliveries and exports, and outboxes.
 */
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
  /**
   * Claim of a URL, so that only one endpoint has it. The key contains a hash, because a URL may
   * exceed DynamoDB's key length.
   */
  endpointUrl: (accountId: string, url: string): RowKey => ({
    pk: `${accountId}#endpoints`,
    sk: `url#${createHash("sha256").update(url).digest("hex")}`,
  }),
  /**
   * Times of the account's last probes, for the per-account limit. The key contains the limit,
   * because the row always has as many times as the limit allows. After a change of the limit, a
   * new row is therefore used.
   */
  probes: (accountId: string): RowKey => ({
    pk: `${accountId}#probes`,
    sk: `probes#${limits.probes.max}`,
  }),
  /** Counter of the account's endpoints, for the per-account limit. */
  endpointCount: (accountId: string): RowKey => ({ pk: `${accountId}#endpoints`, sk: "count" }),
  destination: (accountId: string): RowKey => ({
    pk: `${accountId}#destination`,
    sk: "destination",
  }),
  /**
   * A delivery in the log. Its ID begins with the time of the event, so that deliveries sort by
   * time.
   */
  delivery: (accountId: string, id: string): RowKey => ({ pk: `${accountId}#deliveries`, sk: id }),
  /** An export in the log. Its ID begins with the time at which the run ended. */
  export: (accountId: string, id: string): RowKey => ({ pk: `${accountId}#exports`, sk: id }),
  /** The due time, lease and session state of a delivery target. */
  outbox: ({ accountId, targetId }: DeliveryTarget): RowKey => ({
    pk: `${accountId}#outbox`,
    sk: targetId,
  }),
  /** An entry of a target's outbox. Entries sort by lane, then by due time. */
  outboxEntry: (
    { accountId, targetId }: DeliveryTarget,
    { lane, dueAt: due, key }: Pick<OutboxEntry, "lane" | "dueAt" | "key">,
  ): RowKey => ({ pk: `${accountId}#outbox#${targetId}`, sk: `${lane}#${due}#${key}` }),
  /** The events of a small run. Larger runs are objects in the events bucket. */
  runArchive: (accountId: string, runId: string): RowKey => ({
    pk: `${accountId}#archives`,
    sk: runId,
  }),
  /** The sequence of the account's newest run in the feed. */
  feedCount: (accountId: string): RowKey => ({ pk: `${accountId}#feed`, sk: "count" }),
  /** A run in the feed, by its sequence. */
  feedEntry: (accountId: string, sequence: number): RowKey => ({
    pk: `${accountId}#feed`,
    sk: `run#${pad(sequence, 12)}`,
  }),
  /** A run in the feed, by its end time. A condition on this row prevents adding a run twice. */
  feedRun: (accountId: string, run: { createdAt: string; runId: string }): RowKey => ({
    pk: `${accountId}#feedruns`,
    sk: `${run.createdAt}#${run.runId}`,
  }),
};

/** Converts a time to whole Unix seconds, rounded down. */
export const epochSeconds = (at: Date): number => Math.floor(at.getTime() / 1_000);
