import type { EndpointBinding } from "../watchlists/endpoint-binding.ts";
import type { Watchlist } from "../watchlists/watchlist.ts";
import type { Run, RunPhase, RunRef, RunStats } from "./run.ts";

export interface Claim {
  readonly run: Run;
  readonly watchlist: Watchlist;
  readonly nextRunAt: string | null;
}

/** How the list's row changes when a run ends. */
export interface ListOutcome {
  /** True pauses the list for lack of credits. */
  readonly pause: boolean;
  readonly consecutiveSkips: number;
  readonly refreshDue: boolean;
  /** The endpoint that the run's events go to; absent when the list stores it already. */
  readonly endpoint?: EndpointBinding;
  /** `revision` of the list that this was worked out from. */
  readonly revision: number;
}

/** What a run knows once its items are planned. */
export interface RunPlan {
  readonly plan: string;
  readonly stats: RunStats;
}

/** Runs and where they stand. Every write is safe to repeat. */
export interface RunStore {
  /**
   * Starts a run in one transaction with the list's row: at most one run per list is in progress,
   * and neither a list that changed since it was read nor one without items is claimed.
   */
  claim(claim: Claim): Promise<"claimed" | "conflict">;
  get(ref: RunRef): Promise<Run | undefined>;
  /** Newest first. @param before only runs of a lower number */
  list(
    watchlistId: string,
    limit: number,
    before?: number,
  ): Promise<{ readonly runs: readonly Run[]; readonly hasMore: boolean }>;
  /** Moves a claimed run to `reading` with its plan; the first plan wins. */
  startReading(run: RunRef, plan: RunPlan): Promise<void>;
  /** Notes that a reading run moves: it is looked after again only some minutes later. */
  noteProgress(run: RunRef): Promise<void>;
  /**
   * Marks a run that is claimed or reading as failed for a reason: no further step is begun. Returns
   * the run as it then is; undefined when it has moved since it was read, and was not marked.
   */
  giveUp(run: Run, error: string): Promise<Run | undefined>;
  /** Moves the run to `finishing`, if it is in one of the phases `from`. */
  startFinishing(run: RunRef, status: Run["status"], from: readonly RunPhase[]): Promise<void>;
  /**
   * Writes a run that ended in one transaction with its list's row; a null `list` writes the run
   * alone. `conflict` when the list was changed since, or no longer has this run in progress: nothing
   * was written.
   */
  finish(run: Run, list: ListOutcome | null): Promise<"finished" | "finished_before" | "conflict">;
  markEmitted(run: RunRef): Promise<void>;
  /** Removes a run from the history. */
  forget(watchlistId: string, runNumber: number): Promise<void>;
  /**
   * Takes the runs that stand still since before `now`: each is looked after again only at
   * `nextLook`.
   */
  takeStalled(look: {
    readonly now: Date;
    readonly nextLook: Date;
    readonly limit: number;
  }): Promise<readonly RunRef[]>;
}
