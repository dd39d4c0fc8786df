import type { ItemCounts, Watchlist } from "../watchlists/watchlist.ts";
import type { Run, RunPhase, RunRef } from "./run.ts";

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
  readonly itemCounts: ItemCounts;
}

/** Runs and where they stand. Every write is safe to repeat. */
export interface RunStore {
  /**
   * Starts a run in one transaction with the list's row: at most one run per list is in progress,
   * and a list that changed since it was read is not claimed.
   */
  claim(claim: Claim): Promise<"claimed" | "conflict">;
  get(ref: RunRef): Promise<Run | undefined>;
  /** Newest first. */
  list(
    watchlistId: string,
    limit: number,
  ): Promise<{ readonly runs: readonly Run[]; readonly hasMore: boolean }>;
  /** Moves a claimed run to `reading`; false when it is past that already. */
  startReading(run: Run, progressBy: Date): Promise<boolean>;
  /** Notes that a reading run moves: it is looked after again only at `progressBy`. */
  noteProgress(run: RunRef, progressBy: Date): Promise<void>;
  /** Moves the run to `finishing`, if it is in one of the phases `from`. */
  startFinishing(
    run: Run,
    change: Pick<Run, "status" | "credits" | "stats">,
    from: readonly RunPhase[],
  ): Promise<void>;
  /**
   * Writes a run that ended in one transaction with its list's row; a null `list` writes the run
   * alone. `list_gone` when the list no longer has this run in progress.
   */
  finish(run: Run, list: ListOutcome | null): Promise<"finished" | "finished_before" | "list_gone">;
  markEmitted(run: Run): Promise<void>;
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
