import { concurrencyTiers } from "../base/limits.ts";
import type { AutoTopUp } from "./auto-top-up.ts";

/** An account as stored. Credits are whole numbers. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** The public read-only workspace: its keys read but never write or spend. */
  readonly demo: boolean;
  readonly balance: number;
  readonly held: number;
  readonly spent: number;
  readonly lifetime: number;
  readonly inFlight: number;
  readonly autoTopUp: AutoTopUp | null;
  readonly createdAt: string;
}

/** Concurrency slots for credits ever bought plus granted (specification, section "Limits"). */
export function concurrencyFor(lifetimeCredits: number): number {
  const reached = concurrencyTiers.filter((tier) => lifetimeCredits >= tier.atLifetimeCredits);
  return Math.max(...reached.map((tier) => tier.concurrency));
}

/** The tier after the one reached, or null at the top. */
export function nextTier(
  lifetimeCredits: number,
): { readonly concurrency: number; readonly atLifetimeCredits: number } | null {
  return concurrencyTiers.find((tier) => tier.atLifetimeCredits > lifetimeCredits) ?? null;
}

/** Calls that may hold credits of one shard of an account at once. */
const slotsPerShard = 10;

/** How many shards an account has, and how many of its slots belong to one of them. */
export const shardSlots = (
  concurrency: number,
  shard: number,
): { readonly shards: number; readonly slots: number } => ({
  shards: Math.ceil(concurrency / slotsPerShard),
  slots: Math.min(slotsPerShard, concurrency - shard * slotsPerShard),
});
