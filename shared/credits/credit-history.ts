import type { CreditSource, EntryType } from "./ledger.ts";

/** One entry of an account's ledger. */
export interface CreditTransaction {
  /** Gapless per account, from 1. */
  readonly sequence: number;
  readonly type: EntryType;
  /** Credits moved, never negative; the balances say in which direction. */
  readonly credits: number;
  readonly balanceBefore: number;
  readonly balanceAfter: number;
  /** The call or run step behind it; grants, purchases and adjustments have none. */
  readonly source: CreditSource | null;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** Of a refund that takes back a charge: when that was made; null for every other entry. */
  readonly chargedAt: string | null;
}

/** The ledger as its owner reads it. */
export interface CreditHistory {
  /** Up to `limit` entries with a sequence below `before`, newest first. */
  page(
    accountId: string,
    wanted: { readonly limit: number; readonly before: number | undefined },
  ): Promise<{ readonly transactions: readonly CreditTransaction[]; readonly hasMore: boolean }>;
}
