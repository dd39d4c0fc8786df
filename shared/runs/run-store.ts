import type { EndpointBinding } from "../watchlists/endpoint-binding.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import type { Run, RunPhase, RunRef, RunStats } from "./run.ts";

export interface Claim {
  readonly run: Run;
  readonly watchlist: Watchlist;
  readonly nextRunAt: string | null;
}

/** Change of the watchlist's row when a run ends. */
export interface WatchlistOutcome {
  /** True pauses the watchlist for lack of credits. */
  readonly pause: boolean;
  readonly consecutiveSkips: number;
  readonly refreshDue: boolean;
  /** The webhook endpoint of the run's events; absent if the watchlist already stores it. */
  readonly endpoint?: EndpointBinding;
  /** `revision` of the watchlist from which this change was derived. */
  readonly revision: number;
}

/** Fields of a run that are set when its items are planned. */
export interface RunPlan {
  readonly plan: string;
  readonly stats: RunStats;
}

/** Stores runs and their phases. Every write is idempotent. */
export interface RunStore {
  /**
   * Stores a new run in one transaction with the watchlist's row. `conflict` if the watchlist has a
   * run in progress, has no items, or changed since it was read.
   */
  claim(claim: Claim): Promise<"claimed" | "conflict">;
  get(ref: RunRef): Promise<Run | undefined>;
  /** Lists runs, newest first. @param before only runs with a lower number */
  list(
    watchlistId: string,
    limit: number,
    before?: number,
  ): Promise<{ readonly runs: readonly Run[]; readonly hasMore: boolean }>;
  /** Moves a claimed run to `reading` with its plan; the first plan wins. */
  startReading(run: RunRef, plan: RunPlan): Promise<void>;
  /** Stores that a reading run makes progress, which postpones the sweeper's next check of it. */
  recordProgress(run: RunRef): Promise<void>;
  /**
   * Marks a claimed or reading run as failed, so that no further step starts. Returns the run after
   * the write; undefined if the run made progress since it was read, and was not marked.
   */
  abandon(run: Run, error: string): Promise<Run | undefined>;
  /** Moves the run to `finishing`, if it is in one of the phases `from`. */
  startFinishing(run: RunRef, status: Run["status"], from: readonly RunPhase[]): Promise<void>;
  /**
   * Writes an ended run in one transaction with its watchlist's row; a null `list` writes the run
   * alone. `conflict` if the watchlist changed since it was read, or this run is not its run in
   * progress: nothing was written.
   */
  finish(
    run: Run,
    list: WatchlistOutcome | null,
  ): Promise<"finished" | "finished_before" | "conflict">;
  markEmitted(run: RunRef): Promise<void>;
  /** Removes a run from the history. */
  forget(watchlistId: string, runNumber: number): Promise<void>;
  /**
   * Claims runs whose next check is due at `now`, and sets the next check of each to `nextCheck`.
   */
  takeStalled(look: {
    readonly now: Date;
    readonly nextCheck: Date;
    readonly limit: number;
  }): Promise<readonly RunRef[]>;
}
