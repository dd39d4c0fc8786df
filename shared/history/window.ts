import { limits } from "../base/limits.ts";

/**
 * A window is a fixed number of successive runs of a watchlist. The points of these runs are
 * merged, so that a reader of one item need not read every run. Windows and runs are numbered from
 * 1.
 */

/** Returns the number of the window of a run, from 1. */
export const windowOf = (runNumber: number): number =>
  Math.ceil(runNumber / limits.historyWindowRuns);

/** Returns the number of the last run of a window; 0 for window 0, before the first window. */
export const lastRunOf = (window: number): number => window * limits.historyWindowRuns;

/** Returns the number of the first run of a window. */
export const firstRunOf = (window: number): number => lastRunOf(window - 1) + 1;

/** Returns the numbers of all runs of a window, ascending. */
export const runsOf = (window: number): readonly number[] =>
  Array.from({ length: limits.historyWindowRuns }, (_, n) => firstRunOf(window) + n);
