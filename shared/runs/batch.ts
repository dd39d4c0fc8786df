import type { PointLine } from "../history/history.ts";
import type { ItemOutcome } from "./item-outcome.ts";
import type { RunRef } from "./run.ts";

/** Item counts of a batch by status, and the price of its answers. */
export interface BatchCounts {
  /** The sum of `ok`, `partial`, `notFound` and `unavailable`. */
  readonly requested: number;
  readonly ok: number;
  readonly partial: number;
  readonly notFound: number;
  readonly unavailable: number;
  /** Number of planned items without an answer: removed, or without an offer to check. */
  readonly skipped: number;
  /** Price of the answers, in quarter-credits. */
  readonly quarters: number;
}

/** The counts of no batch: all 0. */
export const noCounts: BatchCounts = {
  requested: 0,
  ok: 0,
  partial: 0,
  notFound: 0,
  unavailable: 0,
  skipped: 0,
  quarters: 0,
};

/** Returns the sum of the counts of two batches, member by member. */
export const addBatchCounts = (a: BatchCounts, b: BatchCounts): BatchCounts => ({
  requested: a.requested + b.requested,
  ok: a.ok + b.ok,
  partial: a.partial + b.partial,
  notFound: a.notFound + b.notFound,
  unavailable: a.unavailable + b.unavailable,
  skipped: a.skipped + b.skipped,
  quarters: a.quarters + b.quarters,
});

/**
 * The result of a batch, which is recorded once. Item changes, stats, charges and events are
 * derived from it.
 */
export interface BatchResult {
  readonly counts: BatchCounts;
  readonly outcomes: readonly ItemOutcome[];
  /**
   * The shape of the answers compared with earlier readings; absent if no item of the batch has an
   * earlier reading.
   */
  readonly shape?: BatchShape;
}

/** The differences between the shape of a batch's answers and the earlier readings of its items. */
export interface BatchShape {
  /** Number of items with an `ok` answer and an earlier reading of the same kind. */
  readonly compared: number;
  /** Number of items with a `partial` answer whose previous answer was complete. */
  readonly incomplete: number;
  /**
   * By field: how many compared items had a value in the earlier reading (`had`), and how many of
   * these have no value now (`lost`).
   */
  readonly fields: Readonly<Record<string, readonly [had: number, lost: number]>>;
}

/** A recorded batch result that has only the outcomes that affect an event, a stat or a route. */
export interface EffectiveResult extends BatchResult {
  /** The history points of all outcomes. */
  readonly points: readonly PointLine[];
  /**
   * True if the items were stored as they were before the batch, so that a discard can restore
   * them.
   */
  readonly isRestorable: boolean;
}

/** Outcomes of one step that a batch of a later step stores in the items. */
export interface CarriedOutcomes {
  /** ID of the step that read the items. */
  readonly step: string;
  readonly outcomes: readonly ItemOutcome[];
}

/** The planned items of a batch. */
export interface PlannedBatch {
  /** Item IDs, sorted. */
  readonly ids: readonly string[];
  /** Outcomes of earlier steps that this batch also stores, in step order. */
  readonly carried: readonly CarriedOutcomes[];
}

/** Identifies a batch of a step in messages and stores. */
export interface BatchRef extends RunRef {
  readonly runId: string;
  readonly step: string;
  /** Random ID of the step's plan to which the batch belongs. */
  readonly plan: string;
  /**
   * ID of the run's plan, if the batch belongs to that plan; otherwise null (as in `StepRecord`).
   */
  readonly starts: string | null;
  /** Number of the batch in its plan, from 0. */
  readonly batch: number;
}
