import type { ArchivedRun } from "../events/event-archive.ts";
import type { Entry } from "../outbox/outbox.ts";
import type { DestinationStore } from "./destination-store.ts";
import { firstEntry } from "./export-entries.ts";

export interface RunExportsDependencies {
  readonly destinations: Pick<DestinationStore, "get">;
}

/** Finds what a finished run owes to the account's destination. */
export function runExports({ destinations }: RunExportsDependencies) {
  return {
    /** The entry to add for `destinationTarget`; null without an enabled destination. */
    async owed(accountId: string, run: ArchivedRun): Promise<Entry | null> {
      const destination = await destinations.get(accountId);
      const createdAt = run.events[0]?.createdAt;
      if (destination === null || !destination.enabled || createdAt === undefined) return null;
      const { runId, watchlistId, runNumber } = run;
      return firstEntry({ runId, watchlistId, runNumber, createdAt });
    },
  };
}
