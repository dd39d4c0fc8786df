import type { CreditSource, EntryType } from "./ledger.ts";

/** One entry of an account's ledger. */
export interface CreditTransaction {
  /**
   * Number of the entry among the entries of its account: they are numbered from 1 without gaps.
   */
  readonly sequence: number;
  readonly type: EntryType;
  /** Amount in credits, never negative. The balances show whether credits were added or removed. */
  readonly credits: number;
  readonly balanceBefore: number;
  readonly balanceAfter: number;
  /** The call or run step that used the credits; null for grants, purchases and adjustments. */
  readonly source: CreditSource | null;
  /** Number of charged items, in charge and refund entries. Absent in rows of earlier releases. */
  readonly itemsCharged?: number;
  /** Time of the entry, ISO 8601 UTC. */
  readonly createdAt: string;
  /**
   * For a refund that reverses a charge, the time of that charge (ISO 8601 UTC); otherwise null.
   */
  readonly chargedAt: string | null;
}

/** Selects entries that match all defined fields. */
export interface TransactionFilter {
  readonly requestId?: string | undefined;
  readonly type?: EntryType | undefined;
  readonly watchlistId?: string | undefined;
}

/** An entry with its ID, as clients list it. */
export interface ListedTransaction extends CreditTransaction {
  /** The ID never changes. The IDs of an account sort in the order of its entries. */
  readonly id: string;
}

/** A page of ledger entries, newest first. */
export interface HistoryPage {
  readonly transactions: readonly ListedTransaction[];
  /** Value for `startingAfter` of the next page; null for the last page. */
  readonly next: string | null;
}

/** Lists ledger entries for clients. */
export interface CreditHistory {
  /**
   * Lists up to `limit` entries that are older than `startingAfter`, newest first. With a filter, a
   * page before the last page may have fewer entries or none, because one call reads a limited
   * number of rows. The numbers and balances of a listed entry never change.
   */
  page(
    accountId: string,
    wanted: {
      readonly limit: number;
      /** ID of an entry of the account, or `next` of an earlier page. */
      readonly startingAfter?: string | undefined;
      readonly filter?: TransactionFilter;
    },
  ): Promise<HistoryPage>;
}

/**
 * Returns true if a credit transaction matches all fields that the filter sets. A transaction
 * without a source matches no request ID and no watchlist ID.
 */
export const matches = (
  { type, source }: CreditTransaction,
  { requestId, type: wanted, watchlistId }: TransactionFilter,
): boolean =>
  (wanted === undefined || type === wanted) &&
  (requestId === undefined ||
    (source !== null && "requestId" in source && source.requestId === requestId)) &&
  (watchlistId === undefined || source?.watchlistId === watchlistId);

/**
 * Returns the credits of a transaction as API responses show them. The number is negative for an
 * adjustment that removed credits, and otherwise at least 0.
 */
export const signedCredits = ({
  type,
  credits,
  balanceBefore,
  balanceAfter,
}: CreditTransaction): number => (type === "adjust" ? balanceAfter - balanceBefore : credits);
