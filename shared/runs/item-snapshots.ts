import type { SnapshotFile } from "../events/snapshot-file.ts";
import type { Run } from "./run.ts";

/** Writes the snapshot files of runs: all items of the watchlist at the end of a run. */
export interface ItemSnapshots {
  /**
   * Writes the snapshot file of a run under a new name. Returns null if the account's destination
   * does not include a file of this run, or if the watchlist has no items. Call it before the end
   * of the run is stored, because the next run may then change the items. Readers use only the file
   * that the run names, so a file of a process that does not end the run has no effect.
   * @param ended the run with the status and the time of its end
   */
  take(ended: Run): Promise<SnapshotFile | null>;
}
