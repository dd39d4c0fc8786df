import { concurrencyTiers } from "../base/limits.ts";
import type { AutoTopUp } from "./auto-top-up.ts";

/** An account as stored. Credits are whole numbers. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** True for the public demo workspace. Its keys can neither change data nor spend credits. */
  readonly demo: boolean;
  /** Credits that can be reserved. Excludes held credits. */
  readonly balance: number;
  /** Credits in open holds. */
  readonly held: number;
  /** Credits that calls and runs were charged so far. */
  readonly spent: number;
  /** Lifetime credits. */
  readonly lifetime: number;
  /** Number of item calls in progress. */
  readonly inFlight: number;
  readonly autoTopUp: AutoTopUp | null;
  /** Maximum number of credits that the account may spend on a UTC day; null for no maximum. */
  readonly dailyCreditBudget: number | null;
  readonly createdAt: string;
}

/**
 * Returns the maximum number of concurrent item calls of an account with these lifetime credits
 * (specification, section "Limits").
 */
export function concurrencyFor(lifetimeCredits: number): number {
  const reached = concurrencyTiers.filter((tier) => lifetimeCredits >= tier.atLifetimeCredits);
  return Math.max(...reached.map((tier) => tier.concurrency));
}

/**
 * Returns the next concurrency tier of an account with these lifetime credits: the tier's maximum
 * number of concurrent item calls, and the lifetime credits from which the tier applies. Returns
 * null if the account has the highest tier.
 */
export function nextTier(
  lifetimeCredits: number,
): { readonly concurrency: number; readonly atLifetimeCredits: number } | null {
  return concurrencyTiers.find((tier) => tier.atLifetimeCredits > lifetimeCredits) ?? null;
}

/**
 * Maximum number of holds of concurrent calls in one shard of an account. A shard is one row, so
 * the maximum limits how many calls contend for that row.
 */
const slotsPerShard = 10;

/**
 * Returns how the item-call slots of an account are spread over its shards: the number of shards of
 * the account, and the number of slots of the shard `shard`.
 * @param concurrency maximum number of concurrent item calls of the account
 * @param shard number of a shard, from 0 and below the number of shards
 */
export const shardSlots = (
  concurrency: number,
  shard: number,
): { readonly shards: number; readonly slots: number } => ({
  shards: Math.ceil(concurrency / slotsPerShard),
  slots: Math.min(slotsPerShard, concurrency - shard * slotsPerShard),
});
