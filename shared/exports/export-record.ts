import type { Compression } from "./destination.ts";

/**
 * States of an export. `pending`: not attempted yet, or to be retried. `failed`: not retried
 * automatically.
 */
export const exportStates = ["pending", "done", "failed"] as const;

/**
 * The state of a run's export. An export writes the run's events in order, then the manifest. Times
 * are ISO 8601 UTC.
 */
export interface ExportRecord {
  readonly id: string;
  readonly runId: string;
  readonly watchlistId: string;
  /** Null in the export of a backfill before its first attempt reads the run's events. */
  readonly runNumber: number | null;
  readonly state: (typeof exportStates)[number];
  /** Number of exported events before the first event that is missing. */
  readonly objects: number;
  /** Total size, in bytes, of the objects of these events as they are stored. */
  readonly bytes: number;
  /**
   * Revision of the destination that has these objects: its revision when the run ended, and later
   * its revision at the last attempt. Null until the next attempt if a backfill made the export
   * pending, or if the previous release published the run.
   */
  readonly destinationRevision: string | null;
  /**
   * Format of the run's objects, which is the format of the destination when the run ended. The
   * format never changes, because the keys of the objects end with its suffix: with another format,
   * the same events would be stored twice. Null before the first attempt if a backfill made the
   * export pending, or if the previous release published the run. The attempt then stores the
   * current format of the destination before it writes the first object.
   */
  readonly compression: Compression | null;
  /** Key of the manifest; null until the export is complete. */
  readonly manifestKey: string | null;
  /** Number of attempts. */
  readonly attemptCount: number;
  /** Number of attempts since the last progress, for the retry schedule. */
  readonly tries: number;
  readonly lastError: string | null;
  /** Due time of the next retry; null until the first attempt ends, and if no retry is planned. */
  readonly nextAttemptAt: string | null;
  /** Time at which the run ended. */
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** The success of an export, from which the destination takes its status and `last_success_at`. */
export interface DestinationSuccess {
  /** Revision of the destination to which the objects were written. */
  readonly revision: string;
  readonly succeededAt: Date;
}

/**
 * A record that a session stores for a destination: the state of an export, for the export log, or
 * a success, for the row of the destination. A success is not stored if the destination has
 * changed.
 */
export type ExportLogRecord = ExportRecord | DestinationSuccess;

/** Creates an export record in state `pending` without attempts. */
export const newExport = (
  run: Pick<ExportRecord, "id" | "runId" | "watchlistId" | "runNumber" | "createdAt">,
): ExportRecord => ({
  id: run.id,
  runId: run.runId,
  watchlistId: run.watchlistId,
  runNumber: run.runNumber,
  state: "pending",
  objects: 0,
  bytes: 0,
  destinationRevision: null,
  compression: null,
  manifestKey: null,
  attemptCount: 0,
  tries: 0,
  lastError: null,
  nextAttemptAt: null,
  createdAt: run.createdAt,
  finishedAt: null,
});

/**
 * Returns the export record with its progress reset and due now, so that the next attempt exports
 * all events again. Keeps the format and the number of attempts.
 */
export const restartExport = (record: ExportRecord, now: Date): ExportRecord => ({
  ...newExport(record),
  compression: record.compression,
  attemptCount: record.attemptCount,
  nextAttemptAt: now.toISOString(),
});
