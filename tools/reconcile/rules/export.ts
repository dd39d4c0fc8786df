import type { OutboxEntry } from "../../../shared/outbox/outbox.ts";
import { firstEntry, nextEntries } from "../../../shared/exports/export-entries.ts";
import type { ExportRecord } from "../../../shared/exports/export-record.ts";

/**
 * Returns the outbox entries that must exist for an export in the log; none for a finished export.
 */
export function entriesFor(record: ExportRecord): readonly OutboxEntry[] {
  if (record.state !== "pending") return [];
  const next = nextEntries(record);
  // An export keeps its original entry until its first attempt has failed.
  return next.length > 0 ? next : [firstEntry(record)];
}
