import type { OutboxEntry } from "../../../shared/outbox/outbox.ts";
import { firstEntry, nextEntries } from "../../../shared/exports/export-entries.ts";
import type { ExportRecord } from "../../../shared/exports/export-record.ts";

/** Returns the outbox entries that an export in the log requires. */
export function entriesFor(record: ExportRecord): readonly OutboxEntry[] {
  if (record.state !== "pending") return [];
  const next = nextEntries(record);
  // Until its first attempt has failed, an export keeps its original entry.
  return next.length > 0 ? next : [firstEntry(record)];
}
