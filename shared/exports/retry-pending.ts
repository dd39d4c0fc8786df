import { safeParse } from "valibot";
import type { Clock } from "../base/clock.ts";
import type { Slice } from "../outbox/drain.ts";
import type { Change } from "../outbox/change.ts";
import { destinationTarget, type Entry, type OutboxStore } from "../outbox/outbox.ts";
import { exportContent, exportOf, isFresh, nextEntries } from "./export-entries.ts";
import type { ExportRecord } from "./export-record.ts";

export interface RetryPendingDependencies {
  readonly outbox: Pick<OutboxStore<ExportRecord>, "entries">;
  /** The export as the log has it. */
  readonly known: (exportId: string) => Promise<ExportRecord | null>;
  readonly clock: Clock;
}

export interface RetryTask {
  readonly accountId: string;
  readonly entry: Entry;
  readonly slice: Slice<ExportRecord>;
}

const exportsAtOnce = 25;

/**
 * Makes every export that waits for its next attempt due now, and begins its retry schedule again.
 * Safe to repeat: a repeat goes on with the exports that still wait.
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
    // The next page has to be without the entries of this one.
    await slice.store({});
    if (slice.timeIsUp()) return;
  }
}

/** Replaces a waiting entry by one that is due; an entry that is out of date is only removed. */
async function madeDue(
  entry: Entry,
  { known, now }: Pick<RetryPendingDependencies, "known"> & { readonly now: Date },
): Promise<Change<ExportRecord>> {
  const content = safeParse(exportContent, entry.content);
  const record = content.success ? await known(exportOf(content.output).id) : null;
  if (record === null || !isFresh(entry, record)) return { removed: entry };
  const due: ExportRecord = { ...record, tries: 0, nextAttemptAt: now.toISOString() };
  return { removed: entry, added: nextEntries(due), records: [due] };
}
