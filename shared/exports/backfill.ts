import type { Clock } from "../base/clock.ts";
import type { EventFeed, FeedEntry } from "../events/event-feed.ts";
import type { TimeSlice } from "../outbox/drain.ts";
import type { OutboxEntry } from "../outbox/outbox.ts";
import { type BackfillContent, exportOf, nextEntries } from "./export-entries.ts";
import { type ExportRecord, restartExport } from "./export-record.ts";

export interface BackfillDependencies {
  readonly feed: Pick<EventFeed, "between">;
  /** Reads an export from the log by ID; null if the log does not have it. */
  readonly known: (exportId: string) => Promise<ExportRecord | null>;
  readonly clock: Clock;
}

export interface BackfillTask {
  readonly accountId: string;
  readonly entry: OutboxEntry;
  readonly content: BackfillContent;
  readonly slice: TimeSlice<ExportRecord>;
}

/** Maximum number of runs whose exports one transaction makes pending. Each run needs two rows. */
const runsAtOnce = 25;

/**
 * Processes the next runs of a backfill, at most 25. One transaction adds their exports to the
 * outbox and stores the progress, so the next call continues with the next run. After the last run,
 * removes the backfill's outbox entry.
 */
export async function backfillPage(
  { accountId, entry, content, slice }: BackfillTask,
  { feed, known, clock }: BackfillDependencies,
): Promise<void> {
  const { since, until, after } = content;
  const runs = await feed.between(accountId, { since, until, after, limit: runsAtOnce });
  const now = clock.now();
  const records = await Promise.all(runs.map((run) => restartedExport(run, { known, now })));
  const added = records.flatMap(nextEntries);
  const last = runs.at(-1);
  if (last === undefined || runs.length < runsAtOnce) {
    return slice.record({ removed: entry, added, records });
  }
  const advanced: BackfillContent = {
    ...content,
    after: { createdAt: last.createdAt, runId: last.runId },
  };
  // Overwrites the entry, because its lane, due time and key stay the same.
  return slice.record({ added: [...added, { ...entry, content: advanced }], records });
}

/**
 * Returns the export record of a run, restarted if the log has it, otherwise new. It is due now.
 */
async function restartedExport(
  { runId, watchlistId, createdAt }: FeedEntry,
  { known, now }: { readonly known: BackfillDependencies["known"]; readonly now: Date },
): Promise<ExportRecord> {
  const fresh = exportOf({ runId, watchlistId, runNumber: null, createdAt });
  return restartExport((await known(fresh.id)) ?? fresh, now);
}
