import type { Item } from "../watchlists/item.ts";
import type { RunStore } from "./run-store.ts";
import type { Run } from "./run.ts";

/** Number of the newest runs that are searched for the last read of an item. */
const runsMax = 20;

/**
 * Returns the end times (ISO 8601) of the complete runs among the 20 newest runs of a watchlist,
 * newest first. A complete run read every item that was active. Omits runs that failed, were
 * skipped, read only some of the items, are held, or were discarded.
 */
export async function completeReads(
  watchlistId: string,
  runs: Pick<RunStore, "list">,
): Promise<readonly string[]> {
  const { runs: newest } = await runs.list(watchlistId, runsMax);
  return newest.filter(readEverything).map(({ finishedAt }) => finishedAt ?? "");
}

/**
 * Returns true if a run has ended and read every active item. Returns false for a run that is held
 * or was discarded.
 */
export const readEverything = ({ status, error, finishedAt, hold }: Run): boolean =>
  status === "completed" &&
  error === null &&
  finishedAt !== null &&
  (hold === undefined || hold.status === "released");

/**
 * Returns the time (ISO 8601) at which a run last read an item successfully; null before the first
 * such read. For a delisted item, returns the time of the delisting. A read without a change is not
 * stored with the item, so the time is derived from the complete runs. The newest of them read the
 * item, unless the item has failures. With n consecutive failures, the n newest did not read it.
 * @param reads end times of the newest complete runs (ISO 8601), newest first
 */
export function lastReadAt(item: Item, reads: readonly string[]): string | null {
  const { state, delistedAt, snapshotAt, owes, consecutiveFailures: failures } = item;
  if (state === "delisted") return delistedAt;
  // It is not certain that a run after the last snapshot read these items. A new item can have a
  // snapshot from before it was delisted and added again. An item with an owed retry was not read.
  if (state === "new" || snapshotAt === null || (owes.length > 0 && failures === 0)) {
    return snapshotAt;
  }
  const end = reads[failures];
  return end === undefined || end < snapshotAt ? snapshotAt : end;
}
