import assert from "node:assert/strict";
import { gunzipSync } from "node:zlib";
import { dynamoExportStore } from "../../../shared/aws/exports/export-store.ts";
import {
  type Compression,
  compressions,
  type Destination,
} from "../../../shared/exports/destination.ts";
import { changeRows, typesWithRows } from "../../../shared/exports/change-rows.ts";
import type { ExportRecord } from "../../../shared/exports/export-record.ts";
import {
  manifestKey,
  objectKey,
  rowsKey,
  snapshotKey,
} from "../../../shared/exports/object-key.ts";
import { rowsFile } from "../../../shared/exports/rows-file.ts";
import { attemptsMax, retryWaitsSeconds } from "../../../shared/outbox/backoff.ts";
import { snapshotBytes } from "../scenarios/deliveries-finishers.ts";
import type { DeliveryScene, PublishedRun } from "../scenarios/deliveries-scene.ts";
import { clockSlackMs } from "./deliveries-endpoint.ts";
import { wasPublishedWithin } from "./deliveries-redelivered.ts";
import { statesWithin } from "./deliveries-history.ts";

/**
 * Checks all exports. Call it when no work is left.
 * @throws Error if a check fails
 */
export async function checkExports(scene: DeliveryScene): Promise<void> {
  const { world, users, runs } = scene;
  for (const { bucket, key, missing } of world.buckets.manifests) {
    assert.deepEqual(
      missing,
      [],
      `${bucket}/${key}: listed objects that were written after the manifest`,
    );
  }
  const store = dynamoExportStore(world.client, world.table);
  for (const { accountId } of users) {
    const wanted = { limit: 1_000, before: null, state: null };
    const { exports: records } = await store.list(accountId, wanted);
    const ofRun = new Map(records.map((record) => [record.runId, record]));
    for (const record of records) checkRecord(scene, accountId, record);
    for (const run of runs.values()) {
      if (run.run.accountId === accountId) checkExported(scene, run, ofRun.get(run.run.runId));
    }
    checkBackfills(scene, accountId, ofRun);
  }
  checkObjects(scene);
  await checkRows(scene);
  checkFormats(scene);
  checkRepeats(scene);
}

const folder = ({ run }: PublishedRun, { prefix }: Destination) => ({
  prefix,
  watchlistId: run.watchlistId,
  runNumber: run.runNumber,
  runStartedAt: run.runStartedAt,
});

function keysOf(
  run: PublishedRun,
  destination: Destination,
  compression: Compression,
): readonly string[] {
  return run.run.events.map(({ id, type }, n) =>
    objectKey(folder(run, destination), { number: n + 1, type, eventId: id, compression }),
  );
}

/**
 * Checks that a finished export is complete in its bucket, and that a failed export has a reason.
 */
function checkRecord(scene: DeliveryScene, accountId: string, record: ExportRecord): void {
  const { world, history, runs } = scene;
  const name = `export of ${record.runId}`;
  const run = runs.get(record.runId);
  if (run === undefined || run.run.accountId !== accountId)
    throw new Error(`${name}: the account has no such run.`);
  assert.ok(["done", "failed"].includes(record.state), `${name} is ${record.state}`);
  assert.equal(record.nextAttemptAt, null, `${name}: next attempt`);
  if (record.state === "failed") return checkFailed(scene, record, name);
  const states = history.destinations.get(accountId) ?? [];
  const destination = states
    .map(({ value }) => value)
    .find((value) => value?.revision === record.destinationRevision);
  if (destination === undefined || destination === null) {
    throw new Error(
      `${name}: no destination of the account had the revision ${record.destinationRevision}.`,
    );
  }
  assert.equal(record.objects, run.run.events.length, `${name}: objects`);
  const objects = world.buckets.buckets.get(destination.bucket) ?? new Map<string, unknown>();
  const manifest = manifestKey(folder(run, destination));
  assert.equal(record.manifestKey, manifest, name);
  if (record.compression === null) throw new Error(`${name}: the record has no compression.`);
  if (record.compression !== destination.compression) {
    world.reached("an export has another compression than its destination");
  }
  for (const key of [...keysOf(run, destination, record.compression), manifest]) {
    assert.ok(objects.has(key), `${name}: ${destination.bucket}/${key} is missing`);
  }
  if (record.attemptCount > 1) world.reached("an export succeeded after a retry");
}

/**
 * Checks the Parquet files (invariant D7). Each file must have the rows of its run's events, byte
 * for byte. Each manifest that was ever stored must list the files of its run. A simulated user who
 * changes `rows` or `snapshot` of a destination also changes the bucket.
 */
async function checkRows(scene: DeliveryScene): Promise<void> {
  const { history, runs } = scene;
  for (const [accountId, states] of history.destinations) {
    for (const { value: destination } of states) {
      if (destination === null) continue;
      for (const run of runs.values()) {
        if (run.run.accountId === accountId) await checkRowsOf(scene, run, destination);
      }
    }
  }
}

async function checkRowsOf(
  { world }: DeliveryScene,
  run: PublishedRun,
  destination: Destination,
): Promise<void> {
  const { bucket } = destination;
  const events = run.run.events.filter(({ type }) => typesWithRows.has(type));
  const key = rowsKey(folder(run, destination));
  const isExpected = destination.rows && events.length > 0;
  const { bytes } = await rowsFile(events.flatMap(({ body }) => changeRows(body)));
  const stored = world.buckets.buckets.get(bucket)?.get(key);
  if (stored !== undefined) {
    assert.ok(isExpected, `${bucket}/${key}: an unexpected Parquet file`);
    assert.ok(stored.bytes.equals(bytes), `${bucket}/${key}: other rows than those of the events`);
    world.reached("a Parquet file was exported");
  }
  const snapshot = checkSnapshotOf(world, run, destination);
  const manifest = manifestKey(folder(run, destination));
  for (const listed of world.buckets.manifests) {
    if (listed.bucket !== bucket || listed.key !== manifest) continue;
    assert.equal(listed.rowsKey, isExpected ? key : undefined, `${bucket}/${manifest}: rows`);
    assert.equal(listed.snapshotKey, snapshot, `${bucket}/${manifest}: snapshot`);
  }
}

/**
 * Checks that the snapshot file in the bucket has the bytes that the run stored. Returns the key
 * that manifests must list; undefined for none.
 */
function checkSnapshotOf(
  world: DeliveryScene["world"],
  run: PublishedRun,
  destination: Destination,
): string | undefined {
  const { bucket } = destination;
  const key = snapshotKey(folder(run, destination));
  const isExpected = destination.snapshot !== "none" && run.run.snapshot !== undefined;
  const stored = world.buckets.buckets.get(bucket)?.get(key);
  if (stored !== undefined) {
    assert.ok(isExpected, `${bucket}/${key}: an unexpected snapshot file`);
    assert.ok(stored.bytes.equals(snapshotBytes(run.run)), `${bucket}/${key}: other bytes`);
    world.reached("a snapshot file was copied");
  }
  return isExpected ? key : undefined;
}

/** Checks that an export failed only after its last retry, or for lack of a destination. */
function checkFailed(scene: DeliveryScene, record: ExportRecord, name: string): void {
  const { lastError, tries, createdAt, finishedAt } = record;
  if ((lastError ?? "").startsWith("destination_")) {
    scene.world.reached(`an export ended for ${lastError}`);
    return;
  }
  assert.equal(tries, attemptsMax, `${name}: failed before its last retry (${lastError})`);
  const seconds = retryWaitsSeconds.reduce((sum, wait) => sum + wait * 0.9, 0);
  const tookMs = Date.parse(finishedAt ?? "") - Date.parse(createdAt);
  assert.ok(
    (tookMs + clockSlackMs(scene)) / 1_000 > seconds,
    `${name}: failed too early, after ${tookMs} ms`,
  );
  scene.world.reached("an export exhausted its retries");
}

/**
 * Checks that a run was exported, if the account's destination was enabled during the whole
 * publication of the run.
 */
function checkExported(
  { history, world }: DeliveryScene,
  { run, publishes }: PublishedRun,
  record: ExportRecord | undefined,
): void {
  const states = history.destinations.get(run.accountId);
  const isExpected = publishes.some(
    ({ begunAt, endedAt }) =>
      endedAt !== null &&
      statesWithin(states, begunAt, endedAt).every((state) => state?.enabled === true),
  );
  if (!isExpected) return;
  const name = `export of ${run.runId}`;
  assert.ok(record !== undefined, `${name}: the log has no such entry.`);
  const from = Math.min(...publishes.map(({ begunAt }) => begunAt));
  const since = statesWithin(states, from, world.tasks.now());
  if (!since.every((state) => state?.enabled === true) || record.tries === attemptsMax) return;
  assert.equal(record.state, "done", name);
  if (new Set(since.map((state) => state?.bucket)).size > 1) {
    world.reached("a destination was replaced during an export");
  }
}

/** Checks that a backfill exported each run of its time span again. */
function checkBackfills(
  scene: DeliveryScene,
  accountId: string,
  ofRun: ReadonlyMap<string, ExportRecord>,
): void {
  const { userRequests, history, world, runs } = scene;
  for (const request of userRequests.backfills) {
    if (!request.isConfirmed || request.accountId !== accountId) continue;
    const since = statesWithin(
      history.destinations.get(accountId),
      request.requestedAt,
      world.tasks.now(),
    );
    if (since.some((state) => state?.enabled !== true)) continue;
    for (const run of runs.values()) {
      if (!wasPublishedWithin(run, request)) continue;
      const at = new Date(request.requestedAt).toISOString();
      const name = `export of ${run.run.runId}, backfilled at ${at}`;
      const record = ofRun.get(run.run.runId);
      if (record === undefined) throw new Error(`${name}: the log has no such entry.`);
      const finishedAt = Date.parse(record.finishedAt ?? "") + clockSlackMs(scene);
      assert.ok(finishedAt >= request.requestedAt, `${name}: did not finish again`);
      if (record.tries === attemptsMax) continue;
      assert.equal(record.state, "done", name);
      const doneAt = history.exported.get(run.run.runId)?.at(-1) ?? 0;
      assert.ok(doneAt >= request.requestedAt, `${name}: was not exported again`);
    }
  }
}

/** Checks that a finished export was written again only by a backfill. */
function checkRepeats({ userRequests, history, world, runs }: DeliveryScene): void {
  for (const { run } of runs.values()) {
    const doneAt = history.exported.get(run.runId)?.[0];
    if (doneAt === undefined) continue;
    if (userRequests.backfills.some(({ accountId }) => accountId === run.accountId)) continue;
    const ids = run.events.map(({ id }) => id);
    for (const { key, begunAt, task } of world.buckets.puts) {
      if (!ids.some((id) => key.includes(`-${id}.`)) || task.hasPaused === true) continue;
      assert.ok(begunAt < doneAt + readMs, `${key} by ${task.name}: written after it was exported`);
    }
  }
}
/** How long a process may use data that it read before a change, in milliseconds. */
const readMs = 10_000;

/**
 * Checks that the buckets contain exactly the expected objects, with the expected bytes (invariant
 * D7).
 */
function checkObjects({ world, history, runs }: DeliveryScene): void {
  const destinations = [...history.destinations].flatMap(([accountId, states]) =>
    states.flatMap(({ value }) => (value === null ? [] : [{ accountId, destination: value }])),
  );
  for (const [bucket, objects] of world.buckets.buckets) {
    const expected = new Map<string, string>();
    const manifests = new Map<string, (readonly string[])[]>();
    const found = destinations.filter(({ destination }) => destination.bucket === bucket);
    for (const { accountId, destination } of found) {
      for (const run of runs.values()) {
        if (run.run.accountId !== accountId) continue;
        const manifest = manifestKey(folder(run, destination));
        for (const compression of compressions) {
          const keys = keysOf(run, destination, compression);
          keys.forEach((key, n) => expected.set(key, `${run.run.events[n]?.body}\n`));
          manifests.set(manifest, [...(manifests.get(manifest) ?? []), keys]);
        }
      }
    }
    for (const [key, { bytes }] of objects) {
      if (key.endsWith("_service_check") || key.endsWith(".parquet")) continue;
      const name = `${bucket}/${key}`;
      const ways = manifests.get(key);
      if (ways === undefined) {
        const line = key.endsWith(".gz") ? gunzipSync(bytes) : bytes;
        assert.equal(line.toString(), expected.get(key), name);
        continue;
      }
      const { objects: listed } = JSON.parse(bytes.toString()) as { objects: { key: string }[] };
      const keys = JSON.stringify(listed.map((one) => one.key));
      assert.ok(
        ways.some((way) => JSON.stringify(way) === keys),
        `${name} lists other objects than those of a run: ${keys}`,
      );
    }
  }
}

/**
 * Checks the objects after all format changes and backfills (invariant D9). In a prefix, each event
 * must be in one object, and a manifest must list exactly the objects of its folder.
 */
function checkFormats({ world }: DeliveryScene): void {
  for (const [bucket, objects] of world.buckets.buckets) {
    const folders = Map.groupBy(objects.keys(), (key) => key.slice(0, key.lastIndexOf("/") + 1));
    for (const [name, keys] of folders) {
      const lines = keys.filter((key) => /\.jsonl(?:\.gz)?$/.test(key)).toSorted();
      const events = lines.map((key) => /-(evt_\w+)\./.exec(key)?.[1]);
      const place = `${bucket}/${name}`;
      assert.equal(new Set(events).size, events.length, `${place}: an event in two objects`);
      const manifest = objects.get(`${name}_manifest.json`);
      if (manifest === undefined) continue;
      const listed = JSON.parse(manifest.bytes.toString()) as { objects: { key: string }[] };
      const listedKeys = listed.objects.map(({ key }) => key);
      assert.deepEqual(listedKeys, lines, `${place}: the manifest lists exactly its objects`);
    }
  }
}
