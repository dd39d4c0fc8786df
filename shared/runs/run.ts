import type { FieldChanges } from "../pipelines/compare.ts";
import type { Pipeline, When } from "../pipelines/definition.ts";
import type { Platform } from "../platforms/catalogue.ts";
import type { ReadingKind, Snapshot, StepScraperId } from "../scrapers/catalogue.ts";
import type { ReadStatus } from "../scrapers/scraper.ts";
import type { Item } from "../watchlists/item.ts";
import type { PausedReason, WatchlistStatus } from "../watchlists/watchlist.ts";

export type RunTrigger = "initial" | "schedule" | "manual";
/** `baseline`: every item is new; `refresh`: starts at the refresh step; `sweep`: any other. */
export type RunKind = "baseline" | "refresh" | "sweep";
export type RunStatus = "running" | "completed" | "insufficient_credits" | "failed";

/**
 * How far a run has come. Each step forward is one conditional write, so that whoever finds a run
 * can take it from there: `claimed` (to be planned), `reading` (its steps follow each other),
 * `finishing` (to be folded into the list), `emitting` (events to be handed over), `done`.
 */
export type RunPhase = "claimed" | "reading" | "finishing" | "emitting" | "done";

/** How long a run may stand still before the sweeper looks at it. */
export const progressMs = 5 * 60 * 1_000;
/** Progress is not noted more often: every batch of a large list would write the run's row. */
export const progressGrainMs = 10_000;

/** How a step did, in the words of the specification's `stats.steps`. */
export interface StepStats {
  readonly scraper: StepScraperId;
  readonly requested: number;
  readonly ok: number;
  readonly partial: number;
  readonly notFound: number;
  readonly unavailable: number;
  readonly credits: number;
  /** Items not asked for, because there was nothing known to ask about. */
  readonly skipped: number;
}

export interface RunStats {
  readonly tracked: number;
  readonly entry: string;
  readonly newItems: number;
  readonly steps: Readonly<Record<string, StepStats>>;
  readonly matched: number;
  readonly deferred: number;
  /** Items with a new change. */
  readonly changed: number;
  /** Items in changed events; absent in runs that ended before it was counted. */
  readonly notified?: number;
  readonly delisted: number;
  readonly retryNextRun: number;
}

/**
 * The list as it was when the run began, then as it was when the run ended; from then on it never
 * changes, and neither does the run's event.
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

/** Names a run wherever a message has to. */
export interface RunRef {
  readonly accountId: string;
  readonly watchlistId: string;
  readonly runNumber: number;
}

export interface Run extends RunRef {
  readonly id: string;
  readonly trigger: RunTrigger;
  readonly kind: RunKind;
  readonly phase: RunPhase;
  readonly status: RunStatus;
  readonly startedAt: string;
  readonly finishedAt: string | null;
  /** When something of the run was last done. */
  readonly progressAt: string;
  readonly credits: number;
  readonly stats: RunStats;
  /**
   * Why the run failed, set when the run is abandoned; or the steps that the credits did not cover, set
   * when the run ends.
   */
  readonly error: string | null;
  /** The list's pipeline when the run began: changing the list does not disturb its run. */
  readonly pipeline: Pipeline;
  /** Tells the starts of the plan that won from those of a plan that lost; null until planned. */
  readonly plan: string | null;
  /** Null for a list that was deleted while it ran. */
  readonly watchlist: RunWatchlist | null;
}

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

/** What one step's read of one item led to. Items that read as before leave no outcome. */
export interface ItemOutcome {
  readonly id: string;
  /** When the item was added: an item that was removed and added again is another one. */
  readonly addedAt: string;
  /**
   * `deferred`: not read, as the step could not be paid for or was not come to. `skipped`: not read,
   * as there was nothing to ask about.
   */
  readonly status: ReadStatus | "deferred" | "skipped";
  /** When it was read, ISO time. */
  readonly at: string;
  /** Readings to be stored, by kind; those that read as before are left out. */
  readonly readings?: Readonly<Partial<Record<ReadingKind, Snapshot>>>;
  /** The offer seen in the buy box, when the read shows one. */
  readonly buyboxOfferId?: string | null;
  /** Open changes after it, when they differ from the stored ones. */
  readonly openChanges?: Item["openChanges"];
  /** Changes that are new, and those that are reported now. */
  readonly changes?: FieldChanges;
  /** Present when none of the changes is new: a run before has counted them. */
  readonly isCounted?: true;
  /** Present when the change is to be reported: everything known of the item after it. */
  readonly reported?: Snapshot;
  /** Present when other routes report the item: which, and the fields they can test. */
  readonly matched?: { readonly branches: readonly When[]; readonly values: Snapshot };
  /** Steps that the item takes next. */
  readonly next?: readonly string[];
  /** Present when the item is delisted by this read: what was known of it. */
  readonly lastSnapshot?: Snapshot | null;
}

/** How the items of a batch answered. */
export interface BatchCounts {
  readonly requested: number;
  readonly ok: number;
  readonly partial: number;
  readonly notFound: number;
  readonly unavailable: number;
  readonly skipped: number;
  /** Price of what was answered, in quarter-credits. */
  readonly quarters: number;
}

export const noCounts: BatchCounts = {
  requested: 0,
  ok: 0,
  partial: 0,
  notFound: 0,
  unavailable: 0,
  skipped: 0,
  quarters: 0,
};

export const addBatchCounts = (a: BatchCounts, b: BatchCounts): BatchCounts => ({
  requested: a.requested + b.requested,
  ok: a.ok + b.ok,
  partial: a.partial + b.partial,
  notFound: a.notFound + b.notFound,
  unavailable: a.unavailable + b.unavailable,
  skipped: a.skipped + b.skipped,
  quarters: a.quarters + b.quarters,
});

/** What a batch of a step found. Recorded once; items, stats, charge and events derive from it. */
export interface BatchResult {
  readonly counts: BatchCounts;
  readonly outcomes: readonly ItemOutcome[];
}

/** What an earlier step of the run found, for a later one to store along with its own. */
export interface Carried {
  readonly step: string;
  readonly outcomes: readonly ItemOutcome[];
}

/** What a batch of a step is to read. */
export interface PlannedBatch {
  /** In id order. */
  readonly ids: readonly string[];
  /** In the order of the steps. */
  readonly carried: readonly Carried[];
}

/** Whether a planned step is paid for and read, or its items wait for the next run. */
export type StepDecision = "read" | "defer";

/** Why a step is not read: the credits that it had to reserve, and the balance that there was. */
export interface Shortfall {
  readonly needed: number;
  readonly available: number;
}

/** A planned step of a run: which plan won, and how far it is. */
export interface StepRecord {
  readonly runId: string;
  readonly step: string;
  /** Place in the run's order, from 0. */
  readonly position: number;
  readonly scraper: StepScraperId;
  /** Tells the batches of the plan that won from those of a plan that lost. */
  readonly plan: string;
  readonly batches: number;
  /** Items planned. */
  readonly items: number;
  /**
   * The run's plan, when the batches are those that it starts here: their ids are not stored again.
   */
  readonly starts: string | null;
  readonly decision: StepDecision | null;
  /** Of a deferred step; null also where it was deferred before shortfalls were stored. */
  readonly shortfall: Shortfall | null;
  readonly done: ReadonlySet<number>;
  readonly stats: StepStats | null;
}

export interface BatchRef extends RunRef {
  readonly runId: string;
  readonly step: string;
  readonly plan: string;
  /** As on the step's record: it says where the batch stands. */
  readonly starts: string | null;
  readonly batch: number;
}
