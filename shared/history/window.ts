import { limits } from "../base/limits.ts";

/**
 * A window is a number of successive runs of a watchlist whose points are merged, so that a reader
 * of one item does not read every run. Windows and runs are numbered from 1.
 */

/** Number of the window that contains a run. */
export const windowOf = (runNumber: number): number =>
  Math.ceil(runNumber / limits.historyWindowRuns);

/** Number of the last run of a window. */
export const lastRunOf = (window: number): number => window * limits.historyWindowRuns;

/** Number of the first run of a window. */
export const firstRunOf = (window: number): number => lastRunOf(window - 1) + 1;

/** Numbers of all runs of a window, ascending. */
export const runsOf = (window: number): readonly number[] =>
  Array.from({ length: limits.historyWindowRuns }, (_, n) => firstRunOf(window) + n);
