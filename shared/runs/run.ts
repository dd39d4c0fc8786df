import type { Pipeline } from "../pipelines/definition.ts";
import type { Platform } from "../platforms/catalog.ts";
import type { RunLimits } from "../watchlists/settings.ts";
import type { PausedReason, WatchlistStatus } from "../watchlists/watchlist.ts";
import type { SnapshotFile } from "../events/snapshot-file.ts";
import type { StepStats } from "./step.ts";

/** The cause of a run. `initial`: the schedule, for the first run of a watchlist. */
export type RunTrigger = "initial" | "schedule" | "manual";
/**
 * `baseline`: every item of the watchlist is new. `refresh`: starts at the refresh entry. `sweep`:
 * any other run.
 */
export type RunKind = "baseline" | "refresh" | "sweep";
/** Status of a run. `insufficient_credits`: the run was skipped. */
export type RunStatus = "running" | "completed" | "insufficient_credits" | "failed";

/**
 * Phase of a run. Each transition is one conditional write, so any process can continue a run.
 * - `claimed`: the run is not planned yet.
 * - `reading`: the step workers read its steps one after the other.
 * - `finishing`: its result is not written yet.
 * - `emitting`: its events are not published yet.
 * - `holding`: it exceeded its brake, and the notice of the hold is not published yet.
 * - `held`: it waits for a client to release or discard it, and its item events are not published.
 * - `releasing`: a client released it, and its events are not published yet.
 * - `discarding`: a client or the service discarded it, and its items are not restored yet.
 * - `done`: it is finished and published.
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
 * Minimum time between two writes of a run's progress, in milliseconds. It limits the writes of a
 * run with thousands of batches.
 */
export const progressIntervalMs = 10_000;

/** Item counts of a run, and the stats of its steps. */
export interface RunStats {
  /** Number of items at the start of the run, without delisted items. */
  readonly tracked: number;
  /** ID of the step at which the run starts. */
  readonly entry: string;
  /** Number of items in state `new` at the start of the run. */
  readonly newItems: number;
  /** Stats of the settled steps, by step ID. */
  readonly steps: Readonly<Record<string, StepStats>>;
  /**
   * Number of matches of notifying routes whose `when` is not `changed`. Each combination of item,
   * step and `when` counts once.
   */
  readonly matched: number;
  /** Number of items that the run deferred to the next run. */
  readonly deferred: number;
  /** Number of items with a change that no earlier run has counted. */
  readonly changed: number;
  /**
   * Number of items in `watchlist.product.changed` events; absent in runs of an earlier release.
   */
  readonly notified?: number;
  readonly delisted: number;
  /** Number of items without a complete answer, which the next run reads again. */
  readonly retryNextRun: number;
  /**
   * True if a limit of the customer deferred the entry step before the run had read anything. The
   * items of the step then have no owed retry. Clients do not see this field.
   */
  readonly isEntryUnread?: true;
}

/**
 * The fields of a watchlist that a run stores for its events. They are copied at the start of the
 * run, updated once at its end, and never changed later.
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

/** The cause of a hold by the brake, and the decision about it. */
export interface Hold {
  readonly status: "held" | "released" | "discarded";
  /** Number of items that changed or were delisted. */
  readonly changedItems: number;
  /** Number of items that the run read completely and that had an earlier reading. */
  readonly readItems: number;
  /** Time of the decision (ISO 8601); null while the run is held. */
  readonly decidedAt: string | null;
  /** Reason for which the run was discarded; null if the client sent none. */
  readonly reason: string | null;
}

/** The difference between the shape of a run's answers and the shape of earlier answers. */
export interface ShapeChange {
  /**
   * Present if the prices of many items changed by the same factor, which is rounded to three
   * digits.
   */
  readonly priceJump?: { readonly factor: number; readonly items: number };
  /**
   * Fields that nearly all items had before the run, and that few items have now. Each name
   * consists of the kind of reading and the field (`standard.price`). Absent if there are none.
   */
  readonly lostFields?: readonly string[];
  /**
   * Number of items whose answer was complete before, and now lacks a field that the tier promises.
   * Present only if this is true of nearly all items.
   */
  readonly incompleteItems?: number;
  /** All fields that are missing after the run, including fields that earlier runs lost. */
  readonly missingFields: readonly string[];
}

/** A run as stored. Times are ISO 8601 UTC. */
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
  /** Credits that the run charged; 0 until the run ends. */
  readonly credits: number;
  readonly stats: RunStats;
  /**
   * Reason why the run failed, or the steps that were deferred because the balance or a limit did
   * not cover them. It is set when the run is abandoned or ends. Null if the run did not fail and
   * every step was read.
   */
  readonly error: string | null;
  /**
   * Pipeline of the watchlist at the start of the run. Later changes of the watchlist do not affect
   * it.
   */
  readonly pipeline: Pipeline;
  /** The limits of the watchlist at the start of the run. */
  readonly limits: RunLimits;
  /**
   * Fields that were missing in the answers of earlier runs, as in `ShapeChange`. Absent if there
   * are none.
   */
  readonly missingFields?: readonly string[];
  /**
   * The difference between the shape of the answers and that of earlier answers; absent if there is
   * none.
   */
  readonly shape?: ShapeChange;
  /** The hold of the run by the brake; absent if the brake did not hold the run. */
  readonly hold?: Hold;
  /** The file with the items at the end of the run; absent if there is no file. */
  readonly snapshot?: SnapshotFile;
  /** Random ID of the plan that was stored first; null before the run is planned. */
  readonly plan: string | null;
  /** The fields of the watchlist; null if the watchlist was deleted during the run. */
  readonly watchlist: RunWatchlist | null;
}

/**
 * Returns the stats of a run before its first step: all counts are 0.
 * @param entry ID of the step at which the run starts
 */
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
