import type { Entry } from "../../../shared/outbox/outbox.ts";
import { firstEntry, nextEntries } from "../../../shared/exports/export-entries.ts";
import type { ExportRecord } from "../../../shared/exports/export-record.ts";

/** The entries that have to be in the destination's outbox for what the log says of an export. */
export function entriesFor(record: ExportRecord): readonly Entry[] {
  if (record.state !== "pending") return [];
  const next = nextEntries(record);
  // Before its first attempt has failed, an export waits as it was owed in the beginning.
  return next.length > 0 ? next : [firstEntry(record)];
}
