import type { Clock } from "../base/clock.ts";
import type { EventFeed, FeedEntry } from "../events/event-feed.ts";
import type { Slice } from "../outbox/drain.ts";
import type { Entry } from "../outbox/outbox.ts";
import { type BackfillContent, exportOf, nextEntries } from "./export-entries.ts";
import { type ExportRecord, restarted } from "./export-record.ts";

export interface BackfillDependencies {
  readonly feed: Pick<EventFeed, "between">;
  /** The export as the log has it. */
  readonly known: (exportId: string) => Promise<ExportRecord | null>;
  readonly clock: Clock;
}

export interface BackfillTask {
  readonly accountId: string;
  readonly entry: Entry;
  readonly content: BackfillContent;
  readonly slice: Slice<ExportRecord>;
}

/** Runs owed anew in one change: each takes two rows. */
const runsAtOnce = 25;

/**
 * Owes the next runs of a span of time to the destination anew, and notes how far it has got; in
 * one change, so that a repeat goes on from there.
 */
export async function backfillPage(
  { accountId, entry, content, slice }: BackfillTask,
  { feed, known, clock }: BackfillDependencies,
): Promise<void> {
  const { since, until, after } = content;
  const runs = await feed.between(accountId, { since, until, after, limit: runsAtOnce });
  const now = clock.now();
  const records = await Promise.all(runs.map((run) => anew(run, { known, now })));
  const added = records.flatMap(nextEntries);
  const last = runs.at(-1);
  if (last === undefined || runs.length < runsAtOnce) {
    return slice.record({ removed: entry, added, records });
  }
  const moved: BackfillContent = {
    ...content,
    after: { createdAt: last.createdAt, runId: last.runId },
  };
  // The same entry further on takes its own place.
  return slice.record({ added: [...added, { ...entry, content: moved }], records });
}

async function anew(
  { runId, watchlistId, createdAt }: FeedEntry,
  { known, now }: { readonly known: BackfillDependencies["known"]; readonly now: Date },
): Promise<ExportRecord> {
  const fresh = exportOf({ runId, watchlistId, runNumber: null, createdAt });
  return restarted((await known(fresh.id)) ?? fresh, now);
}
