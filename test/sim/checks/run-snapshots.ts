import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { parquetReadObjects } from "hyparquet";
import { columnOfField } from "../../../shared/exports/item-columns.ts";
import { snapshotKey } from "../../../shared/exports/object-key.ts";
import { snapshotTimeoutMs } from "../../../shared/runs/finish-run.ts";
import type { Run } from "../../../shared/runs/run.ts";
import { currentSnapshot, type Item } from "../../../shared/watchlists/item.ts";
import { isDiscarded } from "../scenarios/runs-holds.ts";
import type { Records } from "../scenarios/runs-records.ts";
import type { RunsScene, WatchlistScene } from "../scenarios/runs-scene.ts";

type Row = Readonly<Record<string, unknown>>;

/** The rows of the snapshot files of a watchlist, by run number and item ID. */
export type SnapshotRows = ReadonlyMap<number, ReadonlyMap<string, Row>>;

/**
 * Checks the snapshot files of a watchlist (invariant R23). A run that must have a file names the
 * file, and the bucket contains exactly the named bytes. A discarded run has no file in the bucket.
 * Returns the rows of the files.
 * @throws Error if a check fails
 */
export async function checkSnapshotFiles(
  { world }: RunsScene,
  list: WatchlistScene,
  records: Records,
): Promise<SnapshotRows> {
  const found = new Map<number, ReadonlyMap<string, Row>>();
  const objects = world.buckets.buckets.get(`bucket-of-${list.user.name}`);
  const choice = list.snapshot;
  if (objects === undefined || choice === null) return found;
  for (const { run } of records) {
    if (run.watchlist === null) continue;
    const name = `snapshot of run ${run.runNumber} of ${run.watchlistId}`;
    const stored = objects.get(snapshotKey({ ...run, ...choice, runStartedAt: run.startedAt }));
    if (run.snapshot === undefined) {
      assert.equal(stored, undefined, `${name}: was not written by the run`);
      const isMissing = isDue(run, records, choice.snapshot) && !wasStalled(run);
      // The service writes no file if the user has removed all items.
      assert(!isMissing || list.touched.size > 0, `${name}: is missing`);
      continue;
    }
    assert(isDue(run, records, choice.snapshot), `${name}: a run that is not the first of its day`);
    if (isDiscarded(run) || run.phase === "held") {
      assert.equal(stored, undefined, `${name}: was exported although the run was discarded`);
      world.reached("a discarded run had a snapshot file");
      continue;
    }
    assert(stored !== undefined, `${name}: was not exported`);
    const sha256: string = createHash("sha256").update(stored.bytes).digest("hex");
    assert.equal(sha256, run.snapshot.sha256, `${name}: the bytes that the run names`);
    const rows = await parquetReadObjects({ file: Uint8Array.from(stored.bytes).buffer });
    assert.equal(rows.length, run.snapshot.rows, `${name}: rows`);
    const byId = new Map(rows.map((row) => [String(row["item_id"]), row]));
    assert.equal(byId.size, rows.length, `${name}: an item twice`);
    for (const id of list.request.ids)
      if (!list.touched.has(id)) assert(byId.has(id), `${name}: ${id} is missing`);
    found.set(run.runNumber, byId);
    world.reached("a snapshot file was exported");
  }
  return found;
}

function isDue(run: Run, records: Records, choice: "run" | "day"): boolean {
  const before = records.find((one) => one.run.runNumber === run.runNumber - 1)?.run;
  return choice === "run" || before?.startedAt.slice(0, 10) !== run.startedAt.slice(0, 10);
}

/**
 * Returns true if the run may have ended without a file. The time limit is five minutes shorter
 * than in the service, because clocks may differ.
 */
const wasStalled = ({ finishedAt, progressAt }: Run): boolean =>
  Date.parse(finishedAt ?? "") - Date.parse(progressAt) >= snapshotTimeoutMs - 5 * 60_000;

/**
 * Checks that the row of an item in the snapshot file has the values that the item had after the
 * run, as the recorded outcomes of the item show. Does nothing if users changed the item, or if the
 * file does not contain the item.
 * @throws Error if a value differs
 */
export function checkSnapshotRow(
  rows: SnapshotRows,
  { runNumber, status }: Run,
  { item, isTouched }: { readonly item: Item; readonly isTouched: boolean },
): void {
  const row = rows.get(runNumber)?.get(item.id);
  // Batches of a run that was abandoned may be stored after its end.
  if (row === undefined || status === "failed" || isTouched) return;
  const { state, firstReadAt, lastReadStatus, consecutiveFailures, snapshotAt, lastChange } = item;
  const fields = Object.entries(currentSnapshot(item) ?? {});
  const expected = {
    item_state: state,
    added_at: item.addedAt,
    first_read_at: firstReadAt,
    last_read_status: lastReadStatus,
    consecutive_failures: consecutiveFailures,
    snapshot_at: snapshotAt,
    last_changed_run: lastChange?.runNumber ?? null,
    last_changes: lastChange === null ? null : JSON.stringify(lastChange.changes),
    delisted_at: item.delistedAt,
    ...Object.fromEntries(fields.map(([field, value]) => [columnOfField(field), value])),
  };
  const actual = Object.fromEntries(
    Object.keys(expected).map((name) => [name, shown(row[name] ?? null)]),
  );
  assert.deepEqual(actual, expected, `${item.id} in the snapshot of run ${runNumber}`);
}

const shown = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

/**
 * Checks that the snapshot file of the newest run has the items as the API lists them, except items
 * that users changed. Call it when no work is left.
 * @throws Error if an item differs
 */
export async function checkSnapshotOfLastRun(
  { world }: RunsScene,
  list: WatchlistScene,
  { rows, records }: { readonly rows: SnapshotRows; readonly records: Records },
): Promise<void> {
  const last = records.at(-1)?.run;
  const file = last === undefined ? undefined : rows.get(last.runNumber);
  if (last === undefined || last.status === "failed" || file === undefined) return;
  if (list.isDeletionAsked) return;
  const path = `/v1/watchlists/${list.id}/items?limit=1000`;
  world.begin("reader of items", async () => {
    const answer = await world.call({ method: "GET", path, key: list.user.key });
    assert.equal(answer?.status, 200, answer?.text);
    const listed = answer?.body as { readonly data?: readonly Row[] } | undefined;
    for (const item of listed?.data ?? []) {
      const row: Row | undefined = file.get(String(item["id"]));
      if (list.touched.has(String(item["id"])) || row === undefined) continue;
      const actual: Row = { last_read_at: shown(row["last_read_at"] ?? null), label: row["label"] };
      const { last_read_at, label } = item;
      assert.deepEqual(
        actual,
        { last_read_at, label },
        `${String(item["id"])} in the last snapshot`,
      );
      world.reached("a snapshot file equalled the items of the API");
    }
  });
  await world.until(() => world.users() === 0, "the items are read", world.tasks.now());
}
