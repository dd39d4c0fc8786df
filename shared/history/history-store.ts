import type { HistorySpan, ItemPoint, RecordedSegment, RunSegment } from "./history.ts";

/** Identifies a watchlist in the history store. */
export interface HistoryOwner {
  readonly accountId: string;
  readonly watchlistId: string;
}

/** Order of runs by their number, or of points by their run. */
export type HistoryOrder = "newest_first" | "oldest_first";

/** Selects the recorded runs of a watchlist. */
export interface RunsQuery extends HistorySpan {
  readonly watchlistId: string;
  readonly order: HistoryOrder;
  /**
   * Number of the run with which the result begins.
   * @default the newest or the oldest run of the span, as `order` requires
   */
  readonly from?: number;
  /**
   * Number of the newest run, recorded or not. Pass it if you read all runs of the span, newest
   * first. The store then needs fewer requests, and none for runs that it has cached.
   */
  readonly newestRun?: number | undefined;
}

/** The number of a run of a watchlist. */
export interface RunPlace {
  readonly watchlistId: string;
  readonly runNumber: number;
}

/**
 * The outcome of a merge. `merged`: all items of the window are merged. `unfinished`: `isOver`
 * returned true first, and a later call continues. `watchlist_deleted`: nothing more is stored.
 * `missing`: nothing was merged, because the runs with the numbers in `runs` are not recorded.
 */
export type MergeOutcome =
  | { readonly outcome: "merged" | "unfinished" | "watchlist_deleted" }
  | { readonly outcome: "missing"; readonly runs: readonly number[] };

/** A request to merge a window. */
export interface MergeRequest {
  /** Number of the window to merge, from 1. */
  readonly window: number;
  /** Numbers of runs of the window that are not recorded and never will be. */
  readonly absent: ReadonlySet<number>;
  /** Returns true if the merge must stop. Work that is complete by then is stored. */
  readonly isOver: () => boolean;
}

/**
 * Stores the history of watchlist items. Every write is idempotent, and writes nothing if the
 * watchlist does not exist. Readers find no points older than `limits.historyDays`.
 */
export interface HistoryStore {
  /**
   * Records the points of a run, which may have none. Atomic: a reader finds either all points of
   * the run or none. A repeated call must pass the same segment.
   */
  append(
    watchlist: HistoryOwner,
    segment: RecordedSegment,
  ): Promise<"appended" | "watchlist_deleted">;
  /** Returns true if a run is recorded. */
  isRecorded(watchlistId: string, runNumber: number): Promise<boolean>;
  /** Returns the number of merged windows. The windows from 1 to this number are merged. */
  mergedWindows(watchlistId: string): Promise<number>;
  /**
   * Merges the runs of a window. All earlier windows must be merged. Does nothing if the window is
   * merged already.
   */
  merge(watchlist: HistoryOwner, request: MergeRequest): Promise<MergeOutcome>;
  /** Reads the points of one item in a span, oldest run first; empty if there are none. */
  item(
    query: HistorySpan & { readonly watchlistId: string; readonly itemId: string },
  ): Promise<readonly ItemPoint[]>;
  /**
   * Yields the recorded runs that have points in a span, each with only these points. Reads a run
   * only when the consumer requests it.
   */
  runs(query: RunsQuery): AsyncIterable<RunSegment>;
  /**
   * Reads at most one run of each of several watchlists, with only its points in a span. Needs far
   * fewer requests than `runs`. Returns the runs by watchlist ID. Leaves out a run that is not
   * recorded, or whose points are in more than one row.
   */
  runsAt(places: readonly RunPlace[], span: HistorySpan): Promise<ReadonlyMap<string, RunSegment>>;
}
