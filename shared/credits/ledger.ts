/** What is read for credits. Rows of earlier releases lack it. */
interface PaidWork {
  readonly scraper?: string;
  /** Items that the reservation covers. */
  readonly items?: number;
}

/** An item call. Rows of earlier releases name its request alone. */
export interface CallSource extends PaidWork {
  readonly requestId: string;
  /** Method and path, as the route table has them. */
  readonly endpoint?: string;
}

/** One step of a run. Rows of earlier releases name run and step alone. */
export interface StepSource extends PaidWork {
  readonly runId: string;
  readonly step: string;
  readonly watchlistId?: string;
  readonly runNumber?: number;
}

/** What a reservation is for. */
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
  /** From this time on, any process that finds the hold may give it back. */
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
  /** Credits to charge, at most what was reserved; the rest goes back to the balance. */
  readonly credits: number;
  /** Items that are charged. */
  readonly items?: number;
  /** How the work counts in the account's usage. */
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
  /** Resolves a hold; a hold that was resolved before answers with what was decided then. */
  settle(settlement: Settlement): Promise<Settled>;
  /** Gives a hold back at no charge, if it exists and is open. */
  release(hold: HoldRef): Promise<void>;
  /**
   * Ends the hold of a call that is answered with an error, at no charge: gives back an open hold, and
   * takes back what a settled one was charged. A hold that does not exist is left alone.
   */
  cancel(hold: HoldRef): Promise<void>;
  /** Accounts with a hold that expired before `now`. */
  accountsWithExpiredHolds(now: Date, limit: number): Promise<readonly string[]>;
  /** Gives back the account's holds that expired before `now`; returns how many. */
  releaseExpired(accountId: string, now: Date): Promise<number>;
}

/** Ledger entry types (`GET /v1/credit_transactions`). */
export const entryTypes = ["grant", "purchase", "reserve", "charge", "refund", "adjust"] as const;
export type EntryType = (typeof entryTypes)[number];
