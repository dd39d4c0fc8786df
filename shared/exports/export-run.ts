import { assertNever } from "../base/assert.ts";
import type { RandomSource, Clock } from "../base/clock.ts";
import { newMetrics, type MetricsSink } from "../observability/metrics.ts";
import type { ArchivedRun, EventBodies } from "../events/event-archive.ts";
import type { AttemptCounts } from "../outbox/attempt-counts.ts";
import { nextWaitSeconds } from "../outbox/backoff.ts";
import type { TimeSlice } from "../outbox/drain.ts";
import { type OutboxEntry, isDue } from "../outbox/outbox.ts";
import type { Compression, Destination } from "./destination.ts";
import type { DestinationStore } from "./destination-store.ts";
import { isFresh, nextEntries } from "./export-entries.ts";
import type { ExportLogRecord, ExportRecord } from "./export-record.ts";
import { folderOf, manifestKey } from "./object-key.ts";
import type { ReadyDestination } from "./ready-destination.ts";
import { writeRun, type WriteOutcome } from "./write-run.ts";

export interface ExportRunDependencies {
  readonly destinations: Pick<DestinationStore, "report">;
  readonly bodies: EventBodies;
  readonly ready: () => Promise<ReadyDestination>;
  /** Reads the index of a run's events. Null if the events have expired. */
  readonly run: (runId: string) => Promise<ArchivedRun | null>;
  /** Reads an export from the log by ID; null if the log does not have it. */
  readonly known: (exportId: string) => Promise<ExportRecord | null>;
  readonly clock: Clock;
  readonly random: RandomSource;
  /** Receives the metrics of each attempt. */
  readonly report?: MetricsSink;
}

export interface ExportTask {
  readonly accountId: string;
  readonly entry: OutboxEntry;
  /** The export record before its first attempt. */
  readonly fresh: ExportRecord;
  readonly slice: TimeSlice<ExportLogRecord>;
  /**
   * The failed attempts of this session since its last successful one: their number, and the error
   * code of the last one.
   */
  readonly failures: { inRow: number; reason?: string };
  /** The attempts of this session. */
  readonly attempts: AttemptCounts;
}

/**
 * Number of consecutive failures after which a session postpones its other exports without an
 * attempt.
 */
const failuresInRowMax = 3;

/**
 * Exports a run: writes its events to the account's bucket, one object per event in delivery order,
 * then the Parquet files that the destination includes, and then the manifest. Continues where the
 * previous attempt stopped. A repeated attempt writes the same keys and bytes. Makes no attempt in
 * these cases:
 * - If the outbox entry of the task is obsolete, only removes this entry.
 * - If the destination is disabled or deleted, or the events have expired, ends the export.
 * - After `failuresInRowMax` consecutive failures in this session, postpones the export.
 */
export async function exportRun(
  task: ExportTask,
  dependencies: ExportRunDependencies,
): Promise<void> {
  const { accountId, entry, fresh, slice, failures } = task;
  const known = await dependencies.known(fresh.id);
  if (!isFresh(entry, known)) return slice.record({ removed: entry });
  const record = known ?? fresh;
  const ready = await dependencies.ready();
  if (ready.outcome === "refused") return end(task, record, { ...dependencies, ...ready });
  // While a destination is disabled, a session also reads entries that are not due yet. If the
  // destination is enabled during the session, these entries wait until they are due.
  if (!isDue(entry, dependencies.clock.now())) return;
  const { destination } = ready;
  if (failures.inRow >= failuresInRowMax) {
    // An export without an attempt is postponed, and does not count as failed.
    await postpone(task, { ...record, lastError: failures.reason ?? null }, dependencies);
    return;
  }
  if (ready.outcome === "failed") {
    failures.inRow += 1;
    failures.reason = ready.reason;
    return fail(task, { record, destination, reason: ready.reason }, dependencies);
  }
  const run = await dependencies.run(record.runId);
  if (run === null) return end(task, record, { ...dependencies, reason: "events_expired" });
  const start = startOf(record, run, destination);
  // Stored before the first object is written, so that the next attempt uses the same format.
  if (record.compression === null) await slice.store({ records: [start] });
  const { prefix, rows } = destination;
  const snapshot = destination.snapshot !== "none";
  const { compression } = start;
  const { bucket } = ready;
  const subject = { accountId, run, prefix, compression, rows, snapshot, bucket, record: start };
  const startedAt = dependencies.clock.now().getTime();
  const written = await writeRun(subject, { ...dependencies, slice });
  const milliseconds = dependencies.clock.now().getTime() - startedAt;
  dependencies.report?.([newMetrics("exports", {}, { export_ms: milliseconds })]);
  failures.inRow = written.outcome === "failed" ? failures.inRow + 1 : 0;
  return settle(task, { run, destination, written }, dependencies);
}

type StartedRecord = ExportRecord & { readonly compression: Compression };

/**
 * Returns the export record at the start of an attempt. The export begins again with the first
 * event in two cases: the destination has changed, or the record has no format. In the second case,
 * existing objects have the layout of an earlier release.
 */
function startOf(
  record: ExportRecord,
  { runNumber }: ArchivedRun,
  destination: Destination,
): StartedRecord {
  const { revision } = destination;
  const compression = record.compression ?? destination.compression;
  return record.compression !== null && record.destinationRevision === revision
    ? { ...record, runNumber, compression }
    : { ...record, runNumber, compression, objects: 0, bytes: 0, destinationRevision: revision };
}

interface Written {
  readonly run: ArchivedRun;
  readonly destination: Destination;
  readonly written: WriteOutcome;
}

/** Records how an attempt ended: complete, failed, expired, or paused with the time slice. */
async function settle(
  task: ExportTask,
  { run, destination, written }: Written,
  dependencies: ExportRunDependencies,
): Promise<void> {
  const { slice, failures } = task;
  const { record } = written;
  switch (written.outcome) {
    case "paused":
      return slice.record({ records: [record] });
    case "expired":
      return end(task, record, { ...dependencies, reason: "events_expired" });
    case "failed":
      failures.reason = written.reason;
      return fail(task, { record, destination, reason: written.reason }, dependencies);
    case "written":
      return finish(task, { run, destination, record }, dependencies);
    default:
      return assertNever(written);
  }
}

/** Records a complete export and its success, and removes the outbox entry. */
async function finish(
  { entry, slice, attempts }: ExportTask,
  { run, destination, record }: Omit<Written, "written"> & { readonly record: ExportRecord },
  { clock, report }: ExportRunDependencies,
): Promise<void> {
  const now = clock.now();
  const done: ExportRecord = {
    ...record,
    state: "done",
    manifestKey: manifestKey(folderOf(run, destination.prefix)),
    attemptCount: record.attemptCount + 1,
    tries: 0,
    lastError: null,
    nextAttemptAt: null,
    finishedAt: now.toISOString(),
  };
  const success = { revision: destination.revision, succeededAt: now };
  await slice.record({ removed: entry, records: [done, success] });
  attempts.note({ succeeded: true });
  report?.([attemptMetrics("done")]);
}

interface Failure {
  readonly record: ExportRecord;
  readonly destination: Destination;
  readonly reason: string;
}

/** Schedules a retry after a failed attempt. If the retries are exhausted, ends the export. */
async function fail(
  task: ExportTask,
  { record, destination, reason }: Failure,
  dependencies: ExportRunDependencies,
): Promise<void> {
  const tried = {
    ...record,
    tries: record.tries + 1,
    attemptCount: record.attemptCount + 1,
    lastError: reason,
  };
  const isExhausted = await postpone(task, tried, dependencies);
  task.attempts.note({ succeeded: false });
  dependencies.report?.([attemptMetrics(isExhausted ? "given_up" : "failed")]);
  // Stores the queued records first. Otherwise a queued success would later replace this failure.
  await task.slice.store({});
  const report = { outcome: "failed", error: reason } as const;
  await dependencies.destinations.report(task.accountId, destination.revision, report);
}

const attemptMetrics = (outcome: "done" | "failed" | "given_up") =>
  newMetrics(
    "exports",
    {},
    {
      export_attempts: 1,
      export_succeeded: outcome === "done" ? 1 : 0,
      export_failed: outcome === "done" ? 0 : 1,
      export_given_up: outcome === "given_up" ? 1 : 0,
    },
  );

/**
 * Postpones an export by the next retry delay. If its retries are exhausted, ends the export
 * instead. Returns true if it ended the export.
 */
async function postpone(
  { entry, slice }: ExportTask,
  record: ExportRecord,
  { clock, random }: ExportRunDependencies,
): Promise<boolean> {
  const now = clock.now();
  const seconds = nextWaitSeconds({
    attempt: Math.max(1, record.tries),
    retryAfterSeconds: null,
    fraction: random.fraction(),
  });
  const next: ExportRecord =
    seconds === null
      ? { ...record, state: "failed", nextAttemptAt: null, finishedAt: now.toISOString() }
      : {
          ...record,
          state: "pending",
          nextAttemptAt: new Date(now.getTime() + seconds * 1_000).toISOString(),
          finishedAt: null,
        };
  await slice.record({ removed: entry, added: nextEntries(next), records: [next] });
  return seconds === null;
}

/** Ends an export in state `failed`, without another attempt. */
function end(
  { entry, slice }: ExportTask,
  record: ExportRecord,
  { reason, clock }: { readonly reason: string; readonly clock: Clock },
): Promise<void> {
  const ended: ExportRecord = {
    ...record,
    state: "failed",
    lastError: reason,
    nextAttemptAt: null,
    finishedAt: clock.now().toISOString(),
  };
  return slice.record({ removed: entry, records: [ended] });
}
