import type { ReadStatus } from "../scrapers/scraper.ts";
import type { ScraperId, Snapshot } from "../scrapers/catalogue.ts";
import type { FieldChanges } from "../pipelines/compare.ts";
import type { PausedReason, WatchlistStatus } from "../watchlists/watchlist.ts";

export type RunTrigger = "initial" | "schedule" | "manual";
export type RunKind = "baseline" | "refresh" | "sweep";
export type RunStatus = "running" | "completed" | "insufficient_credits" | "failed";

/**
 * How far a run has come. Each step forward is one conditional write, so that whoever finds a run
 * can take it from there: `claimed` (to be planned), `reading` (batches out), `finishing` (to be
 * folded into the list), `emitting` (events to be handed over), `done`.
 */
export type RunPhase = "claimed" | "reading" | "finishing" | "emitting" | "done";

/** How a step did, in the words of the specification's `stats.steps`. */
export interface StepStats {
  readonly scraper: ScraperId;
  readonly requested: number;
  readonly ok: number;
  readonly partial: number;
  readonly notFound: number;
  readonly unavailable: number;
  readonly credits: number;
  readonly skipped: number;
}

export interface RunStats {
  readonly tracked: number;
  readonly entry: string;
  readonly newItems: number;
  readonly steps: Readonly<Record<string, StepStats>>;
  readonly matched: number;
  readonly deferred: number;
  readonly changed: number;
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
  readonly platform: string;
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
  readonly credits: number;
  readonly stats: RunStats;
  readonly error: string | null;
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
  delisted: 0,
  retryNextRun: 0,
});

/** What one read of one item led to. Items that read as before leave no outcome. */
export interface ItemOutcome {
  readonly id: string;
  readonly status: ReadStatus;
  /** When it was read, ISO time. */
  readonly at: string;
  /** Tracked fields after the read, when they are to be stored. */
  readonly snapshot?: Snapshot;
  /** Fields that moved since the last read of the same kind. */
  readonly changes?: FieldChanges;
  /** Present when the item is delisted by this read: what was known of it. */
  readonly lastSnapshot?: Snapshot | null;
}

/** What a batch of a step found. Recorded once; items, stats, charge and events derive from it. */
export interface BatchResult {
  readonly requested: number;
  readonly ok: number;
  readonly partial: number;
  readonly notFound: number;
  readonly unavailable: number;
  readonly outcomes: readonly ItemOutcome[];
}

/** A planned step of a run: which plan won, and how far it is. */
export interface StepRecord {
  readonly runId: string;
  readonly step: string;
  readonly scraper: ScraperId;
  readonly marketplace: string;
  /** Tells the batches of the plan that won from those of a plan that lost. */
  readonly plan: string;
  readonly batches: number;
  readonly requested: number;
  readonly newItems: number;
  readonly done: ReadonlySet<number>;
  readonly stats: StepStats | null;
}

export interface BatchRef extends RunRef {
  readonly runId: string;
  readonly step: string;
  readonly plan: string;
  readonly batch: number;
}
