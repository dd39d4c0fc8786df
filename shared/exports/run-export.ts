import type { OutboxEntry } from "../outbox/outbox.ts";
import type { Destination } from "./destination.ts";
import { type ExportedRun, exportOf, firstEntry } from "./export-entries.ts";
import type { ExportRecord } from "./export-record.ts";

/** The rows with which the export of a run begins. */
export interface RunExport {
  readonly entry: OutboxEntry;
  /**
   * The record of the export, for the log. It stores the current format of the destination, so that
   * all attempts of the export use this format.
   */
  readonly record: ExportRecord;
}

/**
 * Returns the outbox entry and the log record with which the export of a finished run begins. Null
 * if the account has no enabled destination.
 */
export function runExport(run: ExportedRun, destination: Destination | null): RunExport | null {
  if (destination === null || !destination.enabled) return null;
  const { compression, revision: destinationRevision } = destination;
  const record = { ...exportOf(run), compression, destinationRevision };
  return { entry: firstEntry(run), record };
}
