import { gunzipSync } from "node:zlib";
import { expect } from "vitest";
import type { Destination } from "../../shared/exports/destination.ts";
import type { ExportRecord } from "../../shared/exports/export-record.ts";
import { manifestKey, objectKey } from "../../shared/exports/object-key.ts";
import { attemptsMax, retryWaitsSeconds } from "../../shared/outbox/backoff.ts";
import { statesWithin } from "./delivery-faults-history.ts";
import type { DeliveryFaultWorld, PublishedRun } from "./delivery-faults-play.ts";
import { type AskedSpan, wasPublishedWithin } from "./delivery-faults-users.ts";

/** Everything that has to hold of exports once all is quiet. */
export async function checkExports(world: DeliveryFaultWorld): Promise<void> {
  for (const { bucket, key, missing } of world.manifests) {
    expect(missing, `${bucket}/${key}: objects that were not there before it`).toEqual([]);
  }
  for (const accountId of world.accounts) {
    const wanted = { limit: 1_000, before: null, state: null };
    const { exports: records } = await world.raw.exports.list(accountId, wanted);
    const ofRun = new Map(records.map((record) => [record.runId, record]));
    for (const record of records) checkRecord(world, accountId, record);
    for (const run of world.published.values()) {
      if (run.run.accountId === accountId) checkOwed(world, run, ofRun.get(run.run.runId));
    }
    checkBackfills(world, accountId, ofRun);
  }
  checkObjects(world);
  checkRepeats(world);
}

const runNamed = ({ published }: DeliveryFaultWorld, runId: string): PublishedRun => {
  const run = published.get(runId);
  if (run === undefined) throw new Error(`There is no run ${runId}`);
  return run;
};

const folder = ({ run }: PublishedRun, { prefix }: Destination) => ({
  prefix,
  watchlistId: run.watchlistId,
  runNumber: run.runNumber,
  runStartedAt: run.runStartedAt,
});

function keysOf(run: PublishedRun, destination: Destination): readonly string[] {
  const { compression } = destination;
  return run.run.events.map(({ id, type }, n) =>
    objectKey(folder(run, destination), { number: n + 1, type, eventId: id, compression }),
  );
}

/** An export that is done is whole in the bucket that it says, one that is not says why. */
function checkRecord(world: DeliveryFaultWorld, accountId: string, record: ExportRecord): void {
  const name = `export of ${record.runId}`;
  expect(["done", "failed"], name).toContain(record.state);
  expect(record.nextAttemptAt, `${name}: next attempt`).toBeNull();
  if (record.state === "failed") {
    const isOver =
      (record.lastError ?? "").startsWith("destination_") || record.tries === attemptsMax;
    expect(isOver, `${name}: given up for a reason (${record.lastError}, ${record.tries})`).toBe(
      true,
    );
    if (record.tries === attemptsMax) checkPatience(record, name);
    return;
  }
  const run = runNamed(world, record.runId);
  const destination = (world.history.destinations.get(accountId) ?? [])
    .map(({ value }) => value)
    .find((value) => value?.revision === record.destinationRevision);
  if (destination === undefined || destination === null) {
    throw new Error(`${name}: no destination has revision ${record.destinationRevision}`);
  }
  expect(record.objects, `${name}: objects`).toBe(run.run.events.length);
  const objects = world.buckets.get(destination.bucket) ?? new Map<string, unknown>();
  const keys = keysOf(run, destination);
  const manifest = manifestKey(folder(run, destination));
  expect(record.manifestKey, name).toBe(manifest);
  for (const key of [...keys, manifest]) {
    expect(objects.has(key), `${name}: ${destination.bucket}/${key} is there`).toBe(true);
  }
}

/** Nothing is given up before the retry schedule is over. */
function checkPatience({ createdAt, finishedAt }: ExportRecord, name: string): void {
  const seconds = retryWaitsSeconds.reduce((sum, wait) => sum + wait * 0.9, 0);
  const took = Date.parse(finishedAt ?? "") - Date.parse(createdAt);
  expect(took / 1_000, `${name}: seconds until given up`).toBeGreaterThan(seconds);
}

/** A run that ended while there was a destination is exported, unless it was off at any time. */
function checkOwed(
  { history, turns }: DeliveryFaultWorld,
  { run, publishes }: PublishedRun,
  record: ExportRecord | undefined,
): void {
  const states = history.destinations.get(run.accountId);
  const isOwed = publishes.some(
    ({ begunAt, endedAt }) =>
      endedAt !== null &&
      statesWithin(states, begunAt, endedAt).every((state) => state?.enabled === true),
  );
  if (!isOwed) return;
  const name = `export of ${run.runId}`;
  expect(record, `${name}: is in the log`).toBeDefined();
  const from = Math.min(...publishes.map(({ begunAt }) => begunAt));
  const since = statesWithin(states, from, turns.now());
  if (since.every((state) => state?.enabled === true) && record?.tries !== attemptsMax) {
    expect(record?.state, name).toBe("done");
  }
}

/** A backfill exports every run of its span anew. */
function checkBackfills(
  { deeds, history, turns, published }: DeliveryFaultWorld,
  accountId: string,
  ofRun: ReadonlyMap<string, ExportRecord>,
): void {
  for (const asked of deeds.backfills) {
    if (!asked.isSure || asked.accountId !== accountId) continue;
    const since = statesWithin(history.destinations.get(accountId), asked.askedAt, turns.now());
    if (since.some((state) => state?.enabled !== true)) continue;
    for (const run of published.values()) {
      if (wasPublishedWithin(run, asked)) checkBackfilled(ofRun.get(run.run.runId), run, asked);
    }
  }
}

function checkBackfilled(
  record: ExportRecord | undefined,
  { run }: PublishedRun,
  { askedAt }: AskedSpan,
): void {
  const name = `export of ${run.runId}, backfilled at ${new Date(askedAt).toISOString()}`;
  if (record === undefined) throw new Error(`${name}: is not in the log`);
  expect(Date.parse(record.finishedAt ?? ""), `${name}: done anew`).toBeGreaterThanOrEqual(askedAt);
  if (record.tries !== attemptsMax) expect(record.state, name).toBe("done");
}

/** A run whose export is done is not written again, unless somebody asked or another place is set. */
function checkRepeats({
  deeds,
  history,
  puts,
  published,
  troubledTasks,
}: DeliveryFaultWorld): void {
  for (const { run } of published.values()) {
    const doneAt = history.exported.get(run.runId);
    if (doneAt === undefined) continue;
    if (deeds.backfills.some(({ accountId }) => accountId === run.accountId)) continue;
    const ids = run.events.map(({ id }) => id);
    for (const { key, begunAt, task } of puts) {
      if (!ids.some((id) => key.includes(`-${id}.`)) || troubledTasks.has(task)) continue;
      expect(begunAt, `${key} by ${task}: written after it was exported`).toBeLessThan(
        doneAt + readMs,
      );
    }
  }
}
/** What was read so long ago may be out of date by now. */
const readMs = 3_000;

/** Buckets hold what they should, byte for byte, and nothing else. */
function checkObjects(world: DeliveryFaultWorld): void {
  const destinations = [...world.history.destinations].flatMap(([accountId, states]) =>
    states.flatMap(({ value }) => (value === null ? [] : [{ accountId, destination: value }])),
  );
  for (const [bucket, objects] of world.buckets) {
    const found = destinations.find(({ destination }) => destination.bucket === bucket);
    const expected = new Map<string, string>();
    const manifests = new Map<string, readonly string[]>();
    for (const run of found === undefined ? [] : world.published.values()) {
      if (found === undefined || run.run.accountId !== found.accountId) continue;
      const keys = keysOf(run, found.destination);
      keys.forEach((key, n) => expected.set(key, `${run.run.events[n]?.body}\n`));
      manifests.set(manifestKey(folder(run, found.destination)), keys);
    }
    for (const [key, { bytes }] of objects) {
      if (key.endsWith("_service_check")) continue;
      const name = `${bucket}/${key}`;
      const keys = manifests.get(key);
      if (keys !== undefined) {
        const listed = JSON.parse(bytes.toString()) as { objects: { key: string }[] };
        expect(
          listed.objects.map((one) => one.key),
          name,
        ).toEqual(keys);
        continue;
      }
      const line = key.endsWith(".gz") ? gunzipSync(bytes) : bytes;
      expect(line.toString(), name).toBe(expected.get(key));
    }
  }
}
