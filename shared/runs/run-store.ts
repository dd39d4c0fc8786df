import type { EndpointBinding } from "../watchlists/endpoint-binding.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import type { Hold, Run, RunPhase, RunRef, RunStats } from "./run.ts";

/** A new run, and the change of its watchlist. */
export interface Claim {
  readonly run: Run;
  /** The watchlist as the caller read it. */
  readonly watchlist: Watchlist;
  /** The watchlist's new due time (ISO 8601); null for none. */
  readonly nextRunAt: string | null;
}

/** Changes to write to the watchlist's row when a run ends. */
export interface WatchlistOutcome {
  /** True if the watchlist is paused for lack of credits. */
  readonly pause: boolean;
  /** Number of consecutive runs that were skipped for lack of credits, including this run. */
  readonly consecutiveSkips: number;
  /** True if this run, or an earlier one, missed a refresh that is still due. */
  readonly refreshDue: boolean;
  /**
   * The webhook endpoint that receives the run's events; absent if the watchlist already stores it.
   */
  readonly endpoint?: EndpointBinding;
  /** Names of the fields that are missing after the run; absent if the stored names stay. */
  readonly missingFields?: readonly string[];
  /** `revision` of the watchlist from which this change was derived. */
  readonly revision: number;
}

/** Fields of a run that are set when its items are planned. */
export interface RunPlan {
  /** Random ID of the plan. */
  readonly plan: string;
  /** The run's stats with the counts of its items. */
  readonly stats: RunStats;
}

/** Stores runs and their phases. Every write is idempotent. */
export interface RunStore {
  /**
   * Stores a new run and updates the watchlist's row in one transaction. Returns `conflict` and
   * writes nothing if the watchlist has a run in progress, has no items, or changed after it was
   * read.
   */
  claim(claim: Claim): Promise<"claimed" | "conflict">;
  /** Reads a run; undefined if it does not exist. */
  get(ref: RunRef): Promise<Run | undefined>;
  /**
   * Lists at most `limit` runs of a watchlist, newest first. `hasMore` is true if older runs
   * follow.
   * @param before lists only runs with a lower number
   */
  list(
    watchlistId: string,
    limit: number,
    before?: number,
  ): Promise<{ readonly runs: readonly Run[]; readonly hasMore: boolean }>;
  /** Moves a claimed run to `reading`, and stores its plan. Only the first call has an effect. */
  startReading(run: RunRef, plan: RunPlan): Promise<void>;
  /**
   * Stores the current time as the time of the run's last progress, which postpones the sweeper's
   * next check of the run. Does nothing unless the run is in phase `reading`.
   */
  recordProgress(run: RunRef): Promise<void>;
  /**
   * Marks a run in phase `claimed` or `reading` as failed, so that no further step starts. Returns
   * the run after the write. Returns undefined and writes nothing if the run made progress after
   * the caller read it.
   * @param error reason for the failure, which the run object shows to clients
   */
  abandon(run: Run, error: string): Promise<Run | undefined>;
  /**
   * Moves a run to `finishing` with this status. Does nothing unless its phase is one of `from`. A
   * run that was marked as failed accepts only the status `failed`.
   */
  startFinishing(run: RunRef, status: Run["status"], from: readonly RunPhase[]): Promise<void>;
  /**
   * Writes an ended run and its watchlist's row in one transaction, or the run alone if `watchlist`
   * is null. The new phase of the run is `emitting`. For a run with a hold, the new phase is
   * `holding`, and the watchlist starts no run until the hold has ended. Returns:
   * - `finished`: this call ended the run.
   * - `finished_before`: an earlier call ended the run.
   * - `conflict`: nothing was written, because the watchlist changed after it was read, or because
   *   this run is not the watchlist's run in progress.
   */
  finish(
    run: Run,
    watchlist: WatchlistOutcome | null,
  ): Promise<"finished" | "finished_before" | "conflict">;
  /** Moves a run whose events are published from `emitting` to `done`. */
  markEmitted(run: RunRef): Promise<void>;
  /**
   * Moves a run from `holding` to `held`. The sweeper checks the run again when its hold expires.
   */
  markHeld(run: Run): Promise<void>;
  /**
   * Stores the decision about a held run, and moves the run to `releasing` or `discarding`. Returns
   * false and writes nothing if the run is not in phase `held` or its watchlist was deleted. The
   * first of several concurrent decisions takes effect.
   */
  decideHold(run: Run, hold: Hold): Promise<boolean>;
  /**
   * Moves a run from `releasing` or `discarding` to `done`, so that its watchlist can run again.
   * After a release, also stores in the watchlist the names of the fields that are missing after
   * the run, so that later runs do not report them as lost again. Does nothing in any other phase.
   */
  endHold(run: Run): Promise<void>;
  /** Deletes the stored run with this number. Does nothing if there is no such run. */
  forget(watchlistId: string, runNumber: number): Promise<void>;
  /**
   * Claims up to `limit` runs whose next check is due at `now`, and returns them. Sets their next
   * check to `nextCheck`, so that no other call claims them before that time.
   */
  takeStalled(check: {
    readonly now: Date;
    readonly nextCheck: Date;
    readonly limit: number;
  }): Promise<readonly RunRef[]>;
}
