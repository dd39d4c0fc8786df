import type { StepScraperId } from "../scrapers/catalog.ts";

/** Item counts and credits of one step (specification, `stats.steps`). */
export interface StepStats {
  readonly scraper: StepScraperId;
  /** The sum of `ok`, `partial`, `notFound` and `unavailable`. */
  readonly requested: number;
  readonly ok: number;
  readonly partial: number;
  readonly notFound: number;
  readonly unavailable: number;
  /** Credits charged for the step. */
  readonly credits: number;
  /**
   * Number of items that were not read: they were removed from the watchlist, or have no known
   * offer to check.
   */
  readonly skipped: number;
}

/**
 * The decision about a step. `read`: the credits are reserved, and the step is read. `defer`: the
 * credits do not suffice, and the next run reads the items of the step.
 */
export type StepDecision = "read" | "defer";

/** A limit of the customer that deferred a step. */
export type CreditLimit =
  | "max_credits_per_run"
  | "watchlist_daily_credit_budget"
  | "account_daily_credit_budget";

/**
 * The reason why a step was deferred: the credits that it needed, and those that were available.
 */
export interface Shortfall {
  /** Maximum cost of the step, in credits. */
  readonly needed: number;
  /** Credits that the balance or the limit left for the step. */
  readonly available: number;
  /** The limit that left only `available` credits; absent if the balance was too low. */
  readonly limit?: CreditLimit;
}

/** A planned step of a run and its progress. */
export interface StepRecord {
  readonly runId: string;
  readonly step: string;
  /** Position in run order, from 0. */
  readonly position: number;
  readonly scraper: StepScraperId;
  /**
   * Random ID of the step's plan. If several processes plan the step, the first stored plan wins.
   */
  readonly plan: string;
  /** Number of planned batches. */
  readonly batches: number;
  /** Number of planned items. */
  readonly items: number;
  /**
   * ID of the run's plan if the step reads exactly the starting batches of that plan; otherwise
   * null. These batches are not stored again for the step.
   */
  readonly starts: string | null;
  /** The decision about the step; null until a process decides whether the step is read. */
  readonly decision: StepDecision | null;
  /**
   * Shortfall of a deferred step; null for a step that was read, or that an earlier release
   * deferred.
   */
  readonly shortfall: Shortfall | null;
  /** True once all its batches were sent to the queue. */
  readonly isSent: boolean;
  /** Numbers of the batches whose outcomes are stored in the items, from 0. */
  readonly done: ReadonlySet<number>;
  /** The stats of the step; null until the step is settled. */
  readonly stats: StepStats | null;
}

/** Returns the stats of a step that read nothing. */
export const emptyStepStats = (scraper: StepScraperId): StepStats => ({
  scraper,
  requested: 0,
  ok: 0,
  partial: 0,
  notFound: 0,
  unavailable: 0,
  credits: 0,
  skipped: 0,
});

/** Returns true if the outcomes of all batches of a step are stored in the items. */
export const areAllBatchesDone = ({ done, batches }: StepRecord): boolean => done.size === batches;

/**
 * Returns true if a credit limit deferred a settled step before the run had read anything. None of
 * the step's batches was sent, so the items of the step have neither an outcome nor an owed retry.
 */
export const isDeferredUnread = ({ decision, stats, done, batches }: StepRecord): boolean =>
  decision === "defer" && stats !== null && batches > 0 && done.size === 0;
