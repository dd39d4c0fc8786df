/**
 * The work for which credits are reserved. A field is absent if an earlier release wrote the row.
 */
interface PaidWork {
  readonly scraper?: string;
  /** Number of items that the reservation covers. */
  readonly items?: number;
}

/** An item call. Rows of earlier releases contain only the request ID. */
export interface CallSource extends PaidWork {
  readonly requestId: string;
  /** Method and path of the route. */
  readonly endpoint?: string;
  /** The API key of the call. */
  readonly apiKeyId?: string;
  /** The watchlist whose items the call reads; absent for a call without a watchlist. */
  readonly watchlistId?: string;
}

/** A step of a run. Rows of earlier releases contain only the run ID and the step. */
export interface StepSource extends PaidWork {
  readonly runId: string;
  readonly step: string;
  readonly watchlistId?: string;
  readonly runNumber?: number;
}

/** The call or run step that reserves credits. */
export type CreditSource = CallSource | StepSource;

/** A request to move credits from the balance into a hold. */
export interface Reservation {
  readonly accountId: string;
  /**
   * ID that the caller chooses, so that a repeated request does not reserve credits twice. For a
   * call, this protection ends when the hold is resolved. That is enough, because the process that
   * reserves the credits of a call also settles them.
   */
  readonly holdId: string;
  readonly credits: number;
  /** True if the hold occupies a concurrency slot. Item calls do; run steps do not. */
  readonly slot: boolean;
  readonly source: CreditSource;
  /**
   * Daily budget of the watchlist whose run reserves the credits. Only for a hold without a slot.
   */
  readonly watchlistBudget?: { readonly watchlistId: string; readonly credits: number };
  readonly now: Date;
  /** Time from which any process may release the hold as abandoned. */
  readonly expiresAt: Date;
}

/**
 * The outcome of a reservation. Only the outcome `reserved` means that the hold exists.
 * - `insufficient`: the balance is too low.
 * - `over_budget`: a daily budget does not cover the credits.
 * - `no_slot`: all `limit` slots of the account are occupied.
 *
 * `balance` is the balance of the account, in credits.
 */
export type ReserveOutcome =
  | { readonly outcome: "reserved" }
  | { readonly outcome: "insufficient"; readonly balance: number }
  | {
      readonly outcome: "over_budget";
      readonly budget: "account" | "watchlist";
      /** The daily budget, in credits. */
      readonly limit: number;
      /** Credits that the budget still allows on the UTC day. */
      readonly available: number;
      readonly balance: number;
    }
  | { readonly outcome: "no_slot"; readonly limit: number; readonly balance: number };

/** Identifies a hold, with the time of the call. */
export interface HoldRef {
  readonly accountId: string;
  readonly holdId: string;
  readonly now: Date;
}

/** A request to charge a part of a hold and to refund the rest. */
export interface Settlement extends HoldRef {
  /** Credits to charge, at most the reserved credits. The rest is refunded. */
  readonly credits: number;
  /** Number of charged items. */
  readonly items?: number;
  /** True if the work counts as successful in the usage of the account. */
  readonly succeeded: boolean;
}

/** The result of a settlement. */
export interface Settled {
  /** Charged credits. */
  readonly credits: number;
  /** Balance of the account after the settlement. It may or may not include concurrent calls. */
  readonly balance: number;
}

/**
 * Stores the credits of accounts. Each hold is created once and resolved once. One write moves
 * credits and records the movement. The balance is never negative. At every moment, `balance + open
 * holds + spent = granted + purchased`, with adjustments counted as grants. Methods that write
 * throw 503 UNAVAILABLE if rows stay contended or the retry budget is exhausted.
 */
export interface Ledger {
  /**
   * Moves credits from the balance into a hold, and occupies a concurrency slot if `slot` is true.
   */
  reserve(reservation: Reservation): Promise<ReserveOutcome>;
  /**
   * Settles a hold. If the hold is no longer open, changes nothing and returns the credits that are
   * charged for the hold.
   * @throws Error if the hold does not exist or `credits` exceeds the reserved credits
   */
  settle(settlement: Settlement): Promise<Settled>;
  /**
   * Releases an open hold without a charge. Does nothing if the hold does not exist or is not open.
   */
  release(hold: HoldRef): Promise<void>;
  /**
   * Cancels the hold of a call that returns an error: releases an open hold, or reverses the charge
   * of a settled hold. Does nothing if the hold does not exist.
   */
  cancel(hold: HoldRef): Promise<void>;
  /** Lists up to `limit` accounts with a hold that expired before `now`. */
  accountsWithExpiredHolds(now: Date, limit: number): Promise<readonly string[]>;
  /**
   * Releases the holds of an account that expired before `now`. Returns the number of released
   * holds.
   */
  releaseExpired(accountId: string, now: Date): Promise<number>;
}

/** Ledger entry types (`GET /v1/credit_transactions`). */
export const entryTypes = ["grant", "purchase", "reserve", "charge", "refund", "adjust"] as const;
export type EntryType = (typeof entryTypes)[number];
