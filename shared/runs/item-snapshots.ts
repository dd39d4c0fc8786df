import type { SnapshotFile } from "../events/snapshot-file.ts";
import type { Run } from "./run.ts";

/** Writes the snapshot files of runs: all items of the watchlist at the end of a run. */
export interface ItemSnapshots {
  /**
   * Writes the file of a run under a new name. Returns null if the account does not want a file of
   * this run, or if the watchlist has no items. Must be called before the end of the run is stored,
   * because then the next run can change the items. The file counts only if the run names it, so a
   * process that does not end the run leaves no trace.
   * @param ended the run with the status and the time of its end
   */
  take(ended: Run): Promise<SnapshotFile | null>;
}
