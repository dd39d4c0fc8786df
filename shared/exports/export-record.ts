import type { Compression } from "./destination.ts";

export const exportStates = ["pending", "done", "failed"] as const;

/** The export of one run: its events in order, then the manifest. Times are ISO 8601 UTC. */
export interface ExportRecord {
  readonly id: string;
  readonly runId: string;
  readonly watchlistId: string;
  /** Null until the run's events have been looked at. */
  readonly runNumber: number | null;
  readonly state: (typeof exportStates)[number];
  /** Events that the destination has, from the first on without a gap. */
  readonly objects: number;
  /** Their size as stored. */
  readonly bytes: number;
  /** Revision of the destination that has them; null when none has. */
  readonly destinationRevision: string | null;
  /**
   * Format of the run's objects. Stored before the first object is written and never changed after,
   * because a second format would leave the same events under another suffix. Null until then.
   */
  readonly compression: Compression | null;
  /** Set once everything is written. */
  readonly manifestKey: string | null;
  /** Attempts ever made. */
  readonly attemptCount: number;
  /** Attempts since the last progress. */
  readonly tries: number;
  readonly lastError: string | null;
  /** When the next attempt is due; null when none is, and before the first one has failed. */
  readonly nextAttemptAt: string | null;
  /** When the run ended. */
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** An export that nobody has attempted. */
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

/** The export set back to its first event, in the format that it has. */
export const restarted = (record: ExportRecord, now: Date): ExportRecord => ({
  ...newExport(record),
  compression: record.compression,
  attemptCount: record.attemptCount,
  nextAttemptAt: now.toISOString(),
});
