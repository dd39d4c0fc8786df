import { safeParse } from "valibot";
import type { Clock } from "../base/clock.ts";
import type { TimeSlice } from "../outbox/drain.ts";
import type { OutboxChange } from "../outbox/change.ts";
import { destinationTarget, type OutboxEntry, type OutboxStore } from "../outbox/outbox.ts";
import { exportContent, exportOf, isFresh, nextEntries } from "./export-entries.ts";
import type { ExportRecord } from "./export-record.ts";

export interface RetryPendingDependencies {
  readonly outbox: Pick<OutboxStore<ExportRecord>, "entries">;
  /** Reads an export from the log by ID; null if the log does not have it. */
  readonly known: (exportId: string) => Promise<ExportRecord | null>;
  readonly clock: Clock;
}

export interface RetryTask {
  readonly accountId: string;
  readonly entry: OutboxEntry;
  readonly slice: TimeSlice<ExportRecord>;
}

const exportsAtOnce = 25;

/**
 * Processes a retry that a client requested. All exports of the account that wait for a retry
 * become due now, and their retry schedules restart. Stops at the end of the time slice.
 * Idempotent: a repeated call continues with the exports that still wait.
 */
export async function retryPending(
  { accountId, entry, slice }: RetryTask,
  { outbox, known, clock }: RetryPendingDependencies,
): Promise<void> {
  const now = clock.now();
  const wanted = { lane: "later", by: null, after: now, limit: exportsAtOnce } as const;
  for (;;) {
    const waiting = await outbox.entries(destinationTarget(accountId), wanted);
    for (const one of waiting) await slice.record(await madeDue(one, { known, now }));
    if (waiting.length < exportsAtOnce) return slice.record({ removed: entry });
    // Stores the changes now, so that the next page does not contain the same entries.
    await slice.store({});
    if (slice.isOver()) return;
  }
}

/** Replaces a waiting entry with an entry that is due now; only removes an obsolete `entry`. */
async function madeDue(
  entry: OutboxEntry,
  { known, now }: Pick<RetryPendingDependencies, "known"> & { readonly now: Date },
): Promise<OutboxChange<ExportRecord>> {
  const content = safeParse(exportContent, entry.content);
  const record = content.success ? await known(exportOf(content.output).id) : null;
  if (record === null || !isFresh(entry, record)) return { removed: entry };
  const due: ExportRecord = { ...record, tries: 0, nextAttemptAt: now.toISOString() };
  return { removed: entry, added: nextEntries(due), records: [due] };
}
