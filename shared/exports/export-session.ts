import { parse, safeParse } from "valibot";
import type { Clock } from "../base/clock.ts";
import { readRunIndex } from "../events/event-archive.ts";
import { newMetrics } from "../observability/metrics.ts";
import { attemptCounts } from "../outbox/attempt-counts.ts";
import type { OpenSession, TimeSlice } from "../outbox/drain.ts";
import { noteRecords } from "../outbox/noted-slice.ts";
import { preparedReads } from "../outbox/prepared-reads.ts";
import type { OutboxEntry } from "../outbox/outbox.ts";
import { backfillPage, type BackfillDependencies } from "./backfill.ts";
import type { DestinationStore } from "./destination-store.ts";
import { exportContent, exportOf, outboxContent } from "./export-entries.ts";
import type { ExportLogRecord, ExportRecord } from "./export-record.ts";
import { exportRun, type ExportRunDependencies } from "./export-run.ts";
import type { ExportStore } from "./export-store.ts";
import { retryPending, type RetryPendingDependencies } from "./retry-pending.ts";
import {
  openDestination,
  type ReadyDependencies,
  destinationRefusal,
} from "./ready-destination.ts";

export interface ExportDependencies
  extends
    ReadyDependencies,
    Omit<BackfillDependencies, "known">,
    Omit<RetryPendingDependencies, "known">,
    Omit<ExportRunDependencies, "ready" | "known" | "run"> {
  readonly destinations: Pick<DestinationStore, "get" | "report">;
  readonly exports: Pick<ExportStore, "get">;
  readonly clock: Clock;
}

/**
 * Creates the function that opens sessions. A session processes a destination's outbox: exports of
 * runs, backfills and requested retries.
 */
export function exportSessions(dependencies: ExportDependencies): OpenSession<ExportLogRecord> {
  return async ({ accountId }) => {
    const destination = openDestination(accountId, dependencies);
    const log = exportLog(accountId, dependencies);
    const runs = preparedReads((runId) => readRunIndex({ accountId, runId }, dependencies.bodies));
    const work = {
      ...dependencies,
      known: log.known,
      run: runs.read,
      ready: () => destination.ready(),
    };
    const failures = { inRow: 0 };
    const attempts = attemptCounts();
    return {
      async target() {
        const stored = await destination.current();
        // Runs are exported one after the other. The objects of one run are written in parallel.
        return { hasEnded: destinationRefusal(stored) !== null, parallel: 1 };
      },
      prepare(entries: readonly OutboxEntry[]) {
        for (const { content } of entries) {
          const run = safeParse(exportContent, content);
          if (!run.success) continue;
          runs.begin(run.output.runId);
          log.prepare(exportOf(run.output).id);
        }
      },
      async work(entry: OutboxEntry, slice: TimeSlice<ExportLogRecord>) {
        const content = parse(outboxContent, entry.content);
        const tracked = log.tracking(slice);
        if (content.kind === "export") {
          const task = {
            accountId,
            entry,
            fresh: exportOf(content),
            slice: tracked,
            failures,
            attempts,
          };
          return exportRun(task, work);
        }
        const ready = await destination.ready();
        if (ready.outcome === "refused") return slice.record({ removed: entry });
        if (content.kind === "backfill") {
          return backfillPage({ accountId, entry, content, slice: tracked }, work);
        }
        // The client requested the retry after these failures, so they no longer count.
        failures.inRow = 0;
        return retryPending({ accountId, entry, slice: tracked }, work);
      },
      late: (milliseconds: number) =>
        dependencies.report?.([newMetrics("exports", {}, { export_late_ms: milliseconds })]),
      attempts,
      close: () => destination.close(),
    };
  };
}

/** Returns the export log, including records of this session that are not stored yet. */
function exportLog(accountId: string, { exports }: ExportDependencies) {
  const unstored = new Map<string, ExportRecord>();
  const stored = preparedReads((id) => exports.get(accountId, id));
  return {
    prepare: stored.begin,
    known: async (id: string) => unstored.get(id) ?? stored.read(id),
    tracking: (slice: TimeSlice<ExportLogRecord>): TimeSlice<ExportLogRecord> =>
      noteRecords(slice, (record) => {
        if ("id" in record) unstored.set(record.id, record);
      }),
  };
}
