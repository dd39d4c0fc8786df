/** The paid work of a reservation. Absent in rows of earlier releases. */
interface PaidWork {
  readonly scraper?: string;
  /** Items that the reservation covers. */
  readonly items?: number;
}

/** An item call. Rows of earlier releases have the request ID only. */
export interface CallSource extends PaidWork {
  readonly requestId: string;
  /** Method and path of the route. */
  readonly endpoint?: string;
}

/** A step of a run. Rows of earlier releases have run and step only. */
export interface StepSource extends PaidWork {
  readonly runId: string;
  readonly step: string;
  readonly watchlistId?: string;
  readonly runNumber?: number;
}

/** The call or run step that reserves credits. */
export type CreditSource = CallSource | StepSource;

export interface Reservation {
  readonly accountId: string;
  /**
   * Chosen by the caller. A step's ID reserves once, however often the step is reserved. A call's ID
   * reserves once while its hold is open. That is enough because one process makes and settles a call.
   */
  readonly holdId: string;
  readonly credits: number;
  /** True for an item call, which takes a concurrency slot; a step of a run takes none. */
  readonly slot: boolean;
  readonly source: CreditSource;
  readonly now: Date;
  /** Time from which any process may release the hold. */
  readonly expiresAt: Date;
}

export type ReserveOutcome =
  | { readonly outcome: "reserved" }
  | { readonly outcome: "insufficient"; readonly balance: number }
  | { readonly outcome: "no_slot"; readonly limit: number; readonly balance: number };

export interface HoldRef {
  readonly accountId: string;
  readonly holdId: string;
  readonly now: Date;
}

export interface Settlement extends HoldRef {
  /** Credits to charge, at most the reserved amount. The rest is refunded. */
  readonly credits: number;
  /** Items that are charged. */
  readonly items?: number;
  /** True if the work counts as successful in the account's usage. */
  readonly succeeded: boolean;
}

export interface Settled {
  readonly credits: number;
  /** The account's balance after it; may or may not include calls that run at the same time. */
  readonly balance: number;
}

/**
 * The account's credits. Every hold is made once and resolved once. One write moves the credits and
 * records the movement. At every moment
 * `balance + open holds + spent = granted + purchased`, and the balance is never negative.
 */
export interface Ledger {
  reserve(reservation: Reservation): Promise<ReserveOutcome>;
  /** Settles a hold. For a hold that was settled before, returns the first result. */
  settle(settlement: Settlement): Promise<Settled>;
  /** Releases a hold without a charge, if it exists and is open. */
  release(hold: HoldRef): Promise<void>;
  /**
   * Cancels the hold of a call that returns an error: releases an open hold, or reverses the charge of
   * a settled one. No effect if the hold does not exist.
   */
  cancel(hold: HoldRef): Promise<void>;
  /** Accounts with a hold that expired before `now`. */
  accountsWithExpiredHolds(now: Date, limit: number): Promise<readonly string[]>;
  /** Releases the account's holds that expired before `now`. Returns their number. */
  releaseExpired(accountId: string, now: Date): Promise<number>;
}

/** Ledger entry types (`GET /v1/credit_transactions`). */
export const entryTypes = ["grant", "purchase", "reserve", "charge", "refund", "adjust"] as const;
export type EntryType = (typeof entryTypes)[number];
