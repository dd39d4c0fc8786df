import type { RandomSource } from "../base/clock.ts";
import { type EventBodies, putSnapshot } from "../events/event-archive.ts";
import type { SnapshotFile } from "../events/snapshot-file.ts";
import type { DestinationStore } from "../exports/destination-store.ts";
import { type ItemRow, itemsFile } from "../exports/item-columns.ts";
import type { ItemSnapshots } from "../runs/item-snapshots.ts";
import { completeReads, lastReadAt, readEverything } from "../runs/last-read.ts";
import type { RunStore } from "../runs/run-store.ts";
import type { Run } from "../runs/run.ts";
import { currentSnapshot, type Item } from "../watchlists/item.ts";
import { type ItemDetails, knownDetails } from "../watchlists/item-details.ts";
import type { PageStore } from "../watchlists/page-store.ts";
import { readItems } from "../watchlists/read-items.ts";

export interface TakeSnapshotDependencies {
  readonly destinations: Pick<DestinationStore, "get">;
  readonly pages: Pick<PageStore, "details" | "pages">;
  readonly runs: Pick<RunStore, "get" | "list">;
  readonly bodies: EventBodies;
  readonly random: RandomSource;
}

/**
 * Number of items in a row group. The rows of one group are in memory at the same time. Larger
 * groups make files only slightly smaller.
 */
const itemsInGroup = 5_000;
/** Number of random bytes in the name of a snapshot file. */
const nameBytes = 6;

/** Creates the writer of snapshot files, which stores them in the events bucket. */
export const itemSnapshots = (dependencies: TakeSnapshotDependencies): ItemSnapshots => ({
  async take(ended) {
    if (!(await isWanted(ended, dependencies))) return null;
    const { bytes, rows, sha256 } = await itemsFile(itemRows(ended, dependencies));
    if (rows === 0) return null;
    const name = Buffer.from(dependencies.random.bytes(nameBytes)).toString("hex");
    const file: SnapshotFile = { name, rows, bytes: bytes.length, sha256 };
    const run = { accountId: ended.accountId, runId: ended.id };
    await putSnapshot(run, file, { bytes, bodies: dependencies.bodies });
    return file;
  },
});

/**
 * Returns true if the S3 destination of the account requests a snapshot file of this run: its
 * `snapshot` is `run`, or is `day` and this is the watchlist's first run of a UTC day.
 */
async function isWanted(
  { accountId, watchlistId, runNumber, startedAt }: Run,
  { destinations, runs }: Pick<TakeSnapshotDependencies, "destinations" | "runs">,
): Promise<boolean> {
  const destination = await destinations.get(accountId);
  if (destination === null || !destination.enabled || destination.snapshot === "none") return false;
  if (destination.snapshot === "run") return true;
  const before = await runs.get({ accountId, watchlistId, runNumber: runNumber - 1 });
  return before === undefined || dayOf(before.startedAt) !== dayOf(startedAt);
}

const dayOf = (time: string): string => time.slice(0, "2026-11-20".length);

/** Yields the rows of all items in groups, in the order of their IDs. */
async function* itemRows(
  ended: Run,
  { pages, runs }: Pick<TakeSnapshotDependencies, "pages" | "runs">,
): AsyncGenerator<readonly ItemRow[]> {
  const reads = await readsAfter(ended, runs);
  const rowsOf = async (items: readonly Item[]): Promise<readonly ItemRow[]> => {
    const [first, last] = [items[0], items.at(-1)];
    if (first === undefined || last === undefined) return [];
    const details = await pages.details(ended.watchlistId, { from: first.id, to: last.id });
    return items.map((item) => rowOf(ended, item, { details: details.get(item.id), reads }));
  };
  let group: Item[] = [];
  for await (const item of readItems(pages, ended.watchlistId)) {
    group.push(item);
    if (group.length < itemsInGroup) continue;
    yield await rowsOf(group);
    group = [];
  }
  yield await rowsOf(group);
}

/**
 * Returns the end times of the newest complete runs, newest first (see `lastReadAt`). Includes the
 * run that is ending if it read every active item.
 */
async function readsAfter(
  run: Run,
  runs: TakeSnapshotDependencies["runs"],
): Promise<readonly string[]> {
  const { hold: _, ...ended } = run;
  const earlier = await completeReads(ended.watchlistId, runs);
  return readEverything(ended) ? [ended.finishedAt ?? "", ...earlier] : earlier;
}

/** Builds the row of an item. `reads` are the end times of the newest complete runs. */
function rowOf(
  { id: runId, runNumber }: Run,
  item: Item,
  {
    details,
    reads,
  }: { readonly details: ItemDetails | undefined; readonly reads: readonly string[] },
): ItemRow {
  const { label, metadata, title, url, image, sellerNames } = knownDetails(details);
  const { state, addedAt, firstReadAt, lastReadStatus, consecutiveFailures } = item;
  return {
    runId,
    runNumber,
    itemId: item.id,
    label: label ?? null,
    metadata: metadata ?? {},
    title: title ?? null,
    url: url ?? null,
    image: image ?? null,
    sellerNames: sellerNames ?? {},
    state,
    addedAt,
    firstReadAt,
    lastReadAt: lastReadAt(item, reads),
    lastReadStatus,
    consecutiveFailures,
    snapshot: currentSnapshot(item),
    snapshotAt: item.snapshotAt,
    lastChange: item.lastChange,
    delistedAt: item.delistedAt,
  };
}
