import type { CreditSource, EntryType } from "./ledger.ts";

/** One entry of an account's ledger. */
export interface CreditTransaction {
  /** Gapless per account, from 1. */
  readonly sequence: number;
  readonly type: EntryType;
  /** Amount in credits, never negative. The balances show the direction. */
  readonly credits: number;
  readonly balanceBefore: number;
  readonly balanceAfter: number;
  /** The call or run step; null for grants, purchases and adjustments. */
  readonly source: CreditSource | null;
  /** Items that were charged, of a charge and a refund; absent in rows of earlier releases. */
  readonly itemsCharged?: number;
  /** ISO 8601 UTC. */
  readonly createdAt: string;
  /** Of a refund that takes back a charge: when that was made; null for every other entry. */
  readonly chargedAt: string | null;
}

/** Filter of entries. Undefined fields match all entries. */
export interface TransactionFilter {
  readonly requestId?: string | undefined;
  readonly type?: EntryType | undefined;
  readonly watchlistId?: string | undefined;
}

/** An entry as clients list it. */
export interface ListedTransaction extends CreditTransaction {
  /** Never changes. The IDs of an account sort in the order of its entries. */
  readonly id: string;
}

export interface HistoryPage {
  readonly transactions: readonly ListedTransaction[];
  /** The ID after which the next page begins; null after the last page. */
  readonly next: string | null;
}

/** Lists ledger entries for clients. */
export interface CreditHistory {
  /**
   * Up to `limit` entries older than `startingAfter`, newest first. A page with a filter may hold
   * fewer, or none, before the last page, because the work of one call is bounded. Numbers and balances
   * of a listed entry never change.
   */
  page(
    accountId: string,
    wanted: {
      readonly limit: number;
      /** An ID of an entry of the account, or the `next` of a page. */
      readonly startingAfter?: string | undefined;
      readonly filter?: TransactionFilter;
    },
  ): Promise<HistoryPage>;
}

/** True if an entry matches the filter. */
export const matches = (
  { type, source }: CreditTransaction,
  { requestId, type: wanted, watchlistId }: TransactionFilter,
): boolean =>
  (wanted === undefined || type === wanted) &&
  (requestId === undefined ||
    (source !== null && "requestId" in source && source.requestId === requestId)) &&
  (watchlistId === undefined ||
    (source !== null && "runId" in source && source.watchlistId === watchlistId));

/** Amount of an entry in API answers: negative for an adjustment that removed credits. */
export const signedCredits = ({
  type,
  credits,
  balanceBefore,
  balanceAfter,
}: CreditTransaction): number => (type === "adjust" ? balanceAfter - balanceBefore : credits);
