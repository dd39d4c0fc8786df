import type { ObservedChanges, PointLine, PointStatus } from "../history/history.ts";
import type { FieldChanges } from "../pipelines/compare.ts";
import type { Pipeline, When } from "../pipelines/definition.ts";
import type { Platform } from "../platforms/catalogue.ts";
import type { RouteStates } from "../pipelines/route-state.ts";
import type { ReadingKind, Snapshot, StepScraperId } from "../scrapers/catalogue.ts";
import type { Brake } from "../watchlists/brake-setting.ts";
import type { Item } from "../watchlists/item.ts";
import type { KnownDetails } from "../watchlists/item-details.ts";
import type { PausedReason, WatchlistStatus } from "../watchlists/watchlist.ts";

/** What started a run. `initial`: the schedule, if the watchlist had no run before. */
export type RunTrigger = "initial" | "schedule" | "manual";
/**
 * `baseline`: every item of the watchlist is new. `refresh`: starts at the refresh entry. `sweep`:
 * any other run.
 */
export type RunKind = "baseline" | "refresh" | "sweep";
export type RunStatus = "running" | "completed" | "insufficient_credits" | "failed";

/**
 * Phase of a run. Each transition is one conditional write, so any process can continue a run.
 *
 * - `claimed`: not planned yet.
 * - `reading`: its steps are read one after the other.
 * - `finishing`: its result is not written yet.
 * - `emitting`: its events are not published yet.
 * - `holding`: ended above its brake; the notice of the hold is not published yet.
 * - `held`: waits for a decision. Its item events are not published.
 * - `releasing`: a client released it; its events are not published yet.
 * - `discarding`: a client or the service discarded it; its items are not restored yet.
 * - `done`: finished and published.
 */
export type RunPhase =
  | "claimed"
  | "reading"
  | "finishing"
  | "emitting"
  | "holding"
  | "held"
  | "releasing"
  | "discarding"
  | "done";

/** Time without progress after which the sweeper resumes a run, in milliseconds. */
export const progressTimeoutMs = 5 * 60 * 1_000;
/**
 * Minimum time between two progress writes of a run, in milliseconds. It limits the writes of a run
 * with thousands of batches.
 */
export const progressIntervalMs = 10_000;

/** Item counts and credits of one step (specification, `stats.steps`). */
export interface StepStats {
  readonly scraper: StepScraperId;
  readonly requested: number;
  readonly ok: number;
  readonly partial: number;
  readonly notFound: number;
  readonly unavailable: number;
  readonly credits: number;
  /** Items not read: removed from the watchlist, or without a known offer to check. */
  readonly skipped: number;
}

export interface RunStats {
  /** Number of items at the start of the run, without delisted items. */
  readonly tracked: number;
  /** ID of the step at which the run starts. */
  readonly entry: string;
  /** Items in state `new` at the start of the run. */
  readonly newItems: number;
  readonly steps: Readonly<Record<string, StepStats>>;
  /**
   * Number of matches of notifying routes whose `when` is not `changed`. Counts once for each item,
   * step and `when`.
   */
  readonly matched: number;
  /** Items that the run deferred to the next run. */
  readonly deferred: number;
  /** Items with a change that no earlier run has counted. */
  readonly changed: number;
  /** Items in `watchlist.product.changed` events; absent in runs of an earlier release. */
  readonly notified?: number;
  readonly delisted: number;
  /** Items without an answer, which the next run reads again. */
  readonly retryNextRun: number;
  /**
   * Present if a limit of the customer deferred the entry step before the run had read anything.
   * The items of the step then have no owed retry. Not shown to clients.
   */
  readonly isEntryUnread?: true;
}

/**
 * The watchlist fields that a run stores for its events. Copied from the watchlist at the start of
 * the run, updated once at its end, and never changed later.
 */
export interface RunWatchlist {
  readonly id: string;
  readonly name: string;
  readonly platform: Platform;
  readonly marketplace: string;
  readonly currency: string;
  readonly status: WatchlistStatus;
  readonly pausedReason: PausedReason | null;
  readonly nextRunAt: string | null;
  readonly webhookEndpointId: string | null;
}

/** Identifies a run in messages and stores. */
export interface RunRef {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly runNumber: number;
}

/** Why a run was held by its brake, and what was decided. */
export interface Hold {
  readonly status: "held" | "released" | "discarded";
  /** Items that changed or were delisted. */
  readonly changedItems: number;
  /** Items that the run read completely, and that had an earlier reading to compare with. */
  readonly readItems: number;
  /** Time of the decision (ISO); null while the run is held. */
  readonly decidedAt: string | null;
  /** Why the run was discarded; null if the client sent no reason. */
  readonly reason: string | null;
}

/** How the answers of a run differ in shape from those before. */
export interface ShapeChange {
  /** Present if the prices of many items changed by the same factor, rounded to three digits. */
  readonly priceJump?: { readonly factor: number; readonly items: number };
  /**
   * Fields that nearly all items had before the run, and that few have now: kind of reading and
   * field, such as `standard.price`. Present if there are any.
   */
  readonly lostFields?: readonly string[];
  /**
   * Number of items whose answer lacks a field that the tier promises, although it was complete
   * before. Present if these are nearly all items.
   */
  readonly incompleteItems?: number;
  /** All fields that are missing after the run, those of earlier runs included. */
  readonly missingFields: readonly string[];
}

export interface Run extends RunRef {
  readonly id: string;
  readonly trigger: RunTrigger;
  readonly kind: RunKind;
  readonly phase: RunPhase;
  readonly status: RunStatus;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** Time of the run's last stored progress (ISO). */
  readonly progressAt: string;
  readonly credits: number;
  readonly stats: RunStats;
  /**
   * Why the run failed, or which steps the balance did not cover. Set when the run is abandoned or
   * ends. Null if the run did not fail and every step was read.
   */
  readonly error: string | null;
  /**
   * Pipeline of the watchlist at the start of the run. Later changes of the watchlist do not affect
   * it.
   */
  readonly pipeline: Pipeline;
  /** `max_credits_per_run` of the watchlist at the start of the run; null for no maximum. */
  readonly maxCredits: number | null;
  /** `daily_credit_budget` of the watchlist at the start of the run; null for no maximum. */
  readonly dailyCreditBudget: number | null;
  /** `brake` of the watchlist at the start of the run; null for none. */
  readonly brake: Brake | null;
  /**
   * Fields that were missing in the answers of earlier runs, as in `ShapeChange`. Absent if there
   * are none.
   */
  readonly missingFields?: readonly string[];
  /** Present if the answers had another shape than those before. */
  readonly shape?: ShapeChange;
  /** Present if the brake held the run. */
  readonly hold?: Hold;
  /** Random ID of the plan that was stored first; null before the run is planned. */
  readonly plan: string | null;
  /** Null if the watchlist was deleted during the run. */
  readonly watchlist: RunWatchlist | null;
}

/** Stats of a run before its first step. @param entry ID of the step at which the run starts */
export const emptyStats = (entry: string): RunStats => ({
  tracked: 0,
  entry,
  newItems: 0,
  steps: {},
  matched: 0,
  deferred: 0,
  changed: 0,
  notified: 0,
  delisted: 0,
  retryNextRun: 0,
});

/** The effect of one step on one item. A read without any effect has no outcome. */
export interface ItemOutcome {
  readonly id: string;
  /**
   * `addedAt` of the item that was read. The stored item has another value if it was removed and
   * added again.
   */
  readonly addedAt: string;
  readonly status: PointStatus;
  /** Time of the read, ISO 8601. */
  readonly at: string;
  /**
   * Readings after the read, by kind; only those that differ from the readings stored with the
   * item.
   */
  readonly readings?: Readonly<Partial<Record<ReadingKind, Snapshot>>>;
  /**
   * ID of the offer in the buy box, null if the buy box is empty; absent if unchanged or not read.
   */
  readonly buyboxOfferId?: string | null;
  /** Open changes after the read; absent if they equal the stored ones. */
  readonly openChanges?: Item["openChanges"];
  /**
   * Fields whose value differs from the last known value, or that had no known value, whether or
   * not a route names them. Absent if there are none, or if the item was already delisted. Stored
   * only as a history point (`EffectiveResult.points`), so an outcome that is read from the store
   * lacks this field.
   */
  readonly observed?: ObservedChanges;
  /** New changes, and earlier changes that this run reports. */
  readonly changes?: FieldChanges;
  /**
   * Present if no change in `changes` is new. An earlier run has then counted the item as changed.
   */
  readonly isCounted?: true;
  /** States of the pipeline's routes after the read; absent if they equal the stored ones. */
  readonly routeStates?: RouteStates;
  /** The changes in the event, if they differ from `changes`. */
  readonly reportedChanges?: FieldChanges;
  /** Snapshot of the item after the change; present if an event reports the change. */
  readonly reported?: Snapshot;
  /**
   * Present if routes whose `when` is not `changed` report the item in an event. `branches`: the
   * `when` of these routes. `values`: the testable fields of the step after an `ok` read; otherwise
   * the last snapshot of the item.
   */
  readonly matched?: { readonly branches: readonly When[]; readonly values: Snapshot };
  /** IDs of the steps to which the item is routed. */
  readonly next?: readonly string[];
  /** Last snapshot of the item, or null if it has none; present if this read delists the item. */
  readonly lastSnapshot?: Snapshot | null;
  /** Known details of the item; absent if it has none, or if no event reports the outcome. */
  readonly details?: KnownDetails;
}

/** Item counts of a batch by status, and the price of its answers. */
export interface BatchCounts {
  readonly requested: number;
  readonly ok: number;
  readonly partial: number;
  readonly notFound: number;
  readonly unavailable: number;
  readonly skipped: number;
  /** Price of the answers, in quarter-credits. */
  readonly quarters: number;
}

/** Counts to start a sum with: all 0. */
export const noCounts: BatchCounts = {
  requested: 0,
  ok: 0,
  partial: 0,
  notFound: 0,
  unavailable: 0,
  skipped: 0,
  quarters: 0,
};

/** Returns the sum of each count and of the prices. */
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
 * The result of a batch. Recorded once; item changes, stats, charges and events are derived from
 * it.
 */
export interface BatchResult {
  readonly counts: BatchCounts;
  readonly outcomes: readonly ItemOutcome[];
  /** Absent if no item of the batch has an earlier reading. */
  readonly shape?: BatchShape;
}

/** What a batch found when it compared its answers with the earlier readings of its items. */
export interface BatchShape {
  /** Number of items with an `ok` answer and an earlier reading of the same kind. */
  readonly compared: number;
  /** Number of items with a `partial` answer whose answer before was complete. */
  readonly incomplete: number;
  /** By field: how many compared items had a value, and how many of them have none now. */
  readonly fields: Readonly<Record<string, readonly [had: number, lost: number]>>;
}

/** A recorded result with only the outcomes that affect an event, a stat or a route. */
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

/** `read`: credits are reserved and the step is read. `defer`: its items wait for the next run. */
export type StepDecision = "read" | "defer";

/** A limit of the customer that deferred a step. */
export type CreditLimit =
  | "max_credits_per_run"
  | "watchlist_daily_credit_budget"
  | "account_daily_credit_budget";

/** Why a step was deferred: the credits that it needed, and the credits that were available. */
export interface Shortfall {
  readonly needed: number;
  readonly available: number;
  /** The limit that left only `available` credits. Absent if the balance was too low. */
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
   * ID of the run's plan if the step reads exactly the starting batches of that plan, which are
   * then not stored again; otherwise null.
   */
  readonly starts: string | null;
  /** Null until a process decides whether the step is read. */
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
  /** Null until the step is settled. */
  readonly stats: StepStats | null;
}

/** Identifies a batch of a step in messages and stores. */
export interface BatchRef extends RunRef {
  readonly runId: string;
  readonly step: string;
  readonly plan: string;
  /** As in `StepRecord`: if not null, the batch is stored under this run plan. */
  readonly starts: string | null;
  /** Number of the batch in its plan, from 0. */
  readonly batch: number;
}
