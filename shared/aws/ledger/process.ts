import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type BoundedMap, boundedMap } from "../../base/bounded-map.ts";
import type { RandomSource, Clock } from "../../base/clock.ts";
import { stampOf } from "../../credits/journal.ts";
import type { OpenHold, Shard } from "./shard-row.ts";

/** The tables that store accounts and their ledgers. */
export interface LedgerTables {
  readonly accountsTable: string;
  readonly ledgerTable: string;
}

/** Dependencies of the ledger in DynamoDB. */
export interface LedgerOptions extends LedgerTables {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Receives the duration and the retries of each reservation and settlement. */
  readonly report?: (report: LedgerReport) => void;
  /** Receives a description of a problem that no retry can solve and that an operator must fix. */
  readonly warn?: (message: string) => void;
}

/** An open hold of a call, with its shard. */
export interface OwnHold extends OpenHold {
  /** Number of the shard whose row stores the hold. */
  readonly shard: number;
}

/**
 * The state that one process caches between calls. It may be outdated; the rows in DynamoDB are
 * authoritative.
 */
export interface LedgerProcess extends LedgerOptions {
  readonly client: DynamoDBDocumentClient;
  /** Cached accounts, by account ID. */
  readonly accounts: BoundedMap<CachedAccount>;
  /** The open holds that this process reserved for calls, by hold ID. */
  readonly holds: BoundedMap<OwnHold>;
  /** Called before each attempt of an operation except the first one. */
  readonly onRetry?: () => void;
}

interface CachedAccount {
  /** The shard that this process uses for reservations until the shard refuses one. */
  readonly home: number;
  /** Number of shards of the account. */
  readonly shards: number;
  /** The newest known stamp of each shard, by the number of the shard. */
  readonly fences: ReadonlyMap<number, number>;
  /** The account's daily budget of credits; null if it has none. */
  readonly budget: number | null;
}

const accountsMax = 10_000;
/**
 * Maximum number of cached holds. The bound is necessary because a failed call can leave its hold
 * to a worker. The process then never removes the hold from the cache.
 */
const holdsMax = 1_000;

/** Creates the ledger state of a process: the client, the tables and an empty cache of accounts. */
export const ledgerProcess = (
  client: DynamoDBDocumentClient,
  options: LedgerOptions,
): LedgerProcess => ({
  ...options,
  client,
  accounts: boundedMap(accountsMax),
  holds: boundedMap(holdsMax),
});

const unknown: CachedAccount = { home: 0, shards: 1, fences: new Map(), budget: null };

/**
 * Returns the cached state of an account. For an account that is not cached, returns the state of
 * an account with one shard and no budget.
 */
export const cachedAccountOf = ({ accounts }: LedgerProcess, accountId: string): CachedAccount =>
  accounts.get(accountId) ?? unknown;

/**
 * Updates the cached state of an account from shards that were read: their fences (newest stamps),
 * the number of shards and the daily budget.
 */
export function cacheShards(
  process: LedgerProcess,
  accountId: string,
  shards: readonly Shard[],
): void {
  const known = cachedAccountOf(process, accountId);
  const fences = new Map(known.fences);
  for (const { number, fence } of shards) {
    fences.set(number, Math.max(fence, fences.get(number) ?? 0));
  }
  const count = Math.max(known.shards, ...shards.map((shard) => shard.shards));
  const budget = shards.length === 0 ? known.budget : (shards.at(-1)?.budget ?? null);
  process.accounts.set(accountId, { ...known, fences, shards: count, budget });
}

/**
 * Makes a shard the home shard of an account in this process. Reservations try the home shard
 * first.
 */
export function moveHome(process: LedgerProcess, accountId: string, home: number): void {
  process.accounts.set(accountId, { ...cachedAccountOf(process, accountId), home });
}

/** Minimum difference between two stamps of a shard, in microseconds. */
const stepUs = 1;
/**
 * A shard refuses a change whose stamp is equal to the newest stamp of the shard, or older. Each
 * refusal after the first adds this many microseconds to the distance between the next attempt's
 * stamp and the newest known stamp.
 */
const aheadUs = 1_000;

/**
 * Returns a stamp for a change of shards, in microseconds since 1970. The stamp is not before
 * `now`, and it is newer than all stamps of these shards that the process has cached.
 * @param place the account, and the numbers of the shards that the change writes
 * @param refusals number of times that a shard has refused this change because of its stamp. From
 * the second refusal on, the stamp is further ahead of `now`.
 */
export function nextStamp(
  process: LedgerProcess,
  place: { readonly accountId: string; readonly shards: readonly number[] },
  { now, refusals }: { readonly now: Date; readonly refusals: number },
): number {
  const { fences } = cachedAccountOf(process, place.accountId);
  const newest = Math.max(0, ...place.shards.map((shard) => fences.get(shard) ?? 0));
  const ahead = refusals <= 1 ? stepUs : aheadUs * (refusals - 1);
  return Math.max(stampOf(now), newest + ahead);
}

/** The duration and retries of one reservation or settlement. */
export interface LedgerReport {
  readonly operation: "reserve" | "settle";
  /** Milliseconds from start to end, including pauses. */
  readonly milliseconds: number;
  /** Number of attempts after the first one. */
  readonly retries: number;
}
