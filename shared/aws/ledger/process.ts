import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import { type BoundedMap, boundedMap } from "../../base/bounded-map.ts";
import type { RandomSource, Clock } from "../../base/clock.ts";
import { stampOf } from "../../credits/journal.ts";
import type { OpenHold, Shard } from "./shard-row.ts";

/** The tables that keep accounts and their ledgers. */
export interface LedgerTables {
  readonly accountsTable: string;
  readonly ledgerTable: string;
}

export interface LedgerOptions extends LedgerTables {
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Receives the time and the retries of each reservation and settlement. */
  readonly report?: (report: LedgerReport) => void;
  /** Receives a problem that no retry solves and that an operator must handle. */
  readonly warn?: (message: string) => void;
}

/** The hold of a call of this process. */
export interface OwnHold extends OpenHold {
  readonly shard: number;
}

/** The state that one process caches between calls. It may be outdated; the rows decide. */
export interface LedgerProcess extends LedgerOptions {
  readonly client: DynamoDBDocumentClient;
  readonly accounts: BoundedMap<KnownAccount>;
  readonly holds: BoundedMap<OwnHold>;
  /** Called before each attempt of an operation except the first. */
  readonly onRetry?: () => void;
}

interface KnownAccount {
  /** The shard that this process uses until the shard refuses a reservation. */
  readonly home: number;
  /** Shards of the account. */
  readonly shards: number;
  /** Newest stamp seen, by shard. */
  readonly fences: ReadonlyMap<number, number>;
}

const accountsMax = 10_000;
/** A call that fails may leave its hold to a worker. */
const holdsMax = 1_000;

export const ledgerProcess = (
  client: DynamoDBDocumentClient,
  options: LedgerOptions,
): LedgerProcess => ({
  ...options,
  client,
  accounts: boundedMap(accountsMax),
  holds: boundedMap(holdsMax),
});

const unknown: KnownAccount = { home: 0, shards: 1, fences: new Map() };

export const knownOf = ({ accounts }: LedgerProcess, accountId: string): KnownAccount =>
  accounts.get(accountId) ?? unknown;

/** Caches the state of shards that were read. */
export function noteShards(
  process: LedgerProcess,
  accountId: string,
  shards: readonly Shard[],
): void {
  const known = knownOf(process, accountId);
  const fences = new Map(known.fences);
  for (const { number, fence } of shards) {
    fences.set(number, Math.max(fence, fences.get(number) ?? 0));
  }
  const count = Math.max(known.shards, ...shards.map((shard) => shard.shards));
  process.accounts.set(accountId, { ...known, fences, shards: count });
}

export function moveHome(process: LedgerProcess, accountId: string, home: number): void {
  process.accounts.set(accountId, { ...knownOf(process, accountId), home });
}

/** The smallest step between two stamps of a shard. */
const stepUs = 1;
/** By how much a change raises its stamp after each further refusal for a newer stamp. */
const aheadUs = 1_000;

/** A stamp after all known stamps of some shards. `refusals` counts refusals for a newer stamp. */
export function nextStamp(
  process: LedgerProcess,
  place: { readonly accountId: string; readonly shards: readonly number[] },
  { now, refusals }: { readonly now: Date; readonly refusals: number },
): number {
  const { fences } = knownOf(process, place.accountId);
  const newest = Math.max(0, ...place.shards.map((shard) => fences.get(shard) ?? 0));
  const ahead = refusals <= 1 ? stepUs : aheadUs * (refusals - 1);
  return Math.max(stampOf(now), newest + ahead);
}

/** The duration and retries of one reservation or settlement. */
export interface LedgerReport {
  readonly operation: "reserve" | "settle";
  /** From its beginning to its end, waits included. */
  readonly milliseconds: number;
  /** Attempts after the first one. */
  readonly retries: number;
}
