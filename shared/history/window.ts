/**
 * A window: a number of successive runs of a watchlist whose points are merged, so that a reader of
 * one item does not read every run. Windows and runs are numbered from 1.
 */
export const windowRuns = 64;

/** Number of the window that contains a run. */
export const windowOf = (runNumber: number): number => Math.ceil(runNumber / windowRuns);

/** Number of the first run of a window. */
export const firstRunOf = (window: number): number => (window - 1) * windowRuns + 1;

/** Number of the last run of a window. */
export const lastRunOf = (window: number): number => window * windowRuns;
