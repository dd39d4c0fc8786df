import type { Clock } from "../base/clock.ts";
import { derivedIdAt } from "../base/ids.ts";
import type { RunExports } from "../webhooks/publish.ts";
import type { DestinationStore } from "./destination-store.ts";
import type { ExportJobStore } from "./export-job.ts";

export interface RunExportsDependencies {
  readonly destinations: DestinationStore;
  readonly exportJobs: ExportJobStore;
  readonly clock: Clock;
}

/** Owes every run of an account with an enabled destination one export. Safe to repeat. */
export function runExports({
  destinations,
  exportJobs,
  clock,
}: RunExportsDependencies): RunExports {
  return {
    async open(accountId, { runId, watchlistId, runStartedAt }) {
      const destination = await destinations.get(accountId);
      if (destination === null || !destination.enabled) return null;
      const id = derivedIdAt("export", new Date(runStartedAt), runId);
      const now = clock.now().toISOString();
      await exportJobs.open(accountId, {
        id,
        runId,
        watchlistId,
        state: "pending",
        next: 0,
        destinationAt: null,
        attempt: 0,
        dueAt: now,
        leased: false,
        lastError: null,
        createdAt: now,
      });
      return { kind: "export", accountId, id };
    },
  };
}
