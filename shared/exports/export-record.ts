import type { Compression } from "./destination.ts";

export const exportStates = ["pending", "done", "failed"] as const;

/** The export of one run: its events in order, then the manifest. Times are ISO 8601 UTC. */
export interface ExportRecord {
  readonly id: string;
  readonly runId: string;
  readonly watchlistId: string;
  /** Null until the first attempt has read the run's events. */
  readonly runNumber: number | null;
  readonly state: (typeof exportStates)[number];
  /** Number of exported events, counted from the first without a gap. */
  readonly objects: number;
  /** Size of these objects as stored. */
  readonly bytes: number;
  /** Revision of the destination to which they were written; null before the first attempt. */
  readonly destinationRevision: string | null;
  /**
   * Format of the run's objects. Stored before the first object is written and never changed after,
   * because a second format would leave the same events under another suffix. Null until then.
   */
  readonly compression: Compression | null;
  /** Set when the export is complete. */
  readonly manifestKey: string | null;
  /** Number of attempts. */
  readonly attemptCount: number;
  /** Number of attempts since the last progress. */
  readonly tries: number;
  readonly lastError: string | null;
  /** Due time of the next retry; null if there is none, and before the first attempt. */
  readonly nextAttemptAt: string | null;
  /** Time at which the run ended. */
  readonly createdAt: string;
  readonly finishedAt: string | null;
}

/** Creates an export without attempts. */
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

/** The export restarted at its first event, in its current format. */
export const restarted = (record: ExportRecord, now: Date): ExportRecord => ({
  ...newExport(record),
  compression: record.compression,
  attemptCount: record.attemptCount,
  nextAttemptAt: now.toISOString(),
});
