import type { ArchivedRun } from "../events/event-archive.ts";
import type { OutboxEntry } from "../outbox/outbox.ts";
import type { DestinationStore } from "./destination-store.ts";
import { firstEntry } from "./export-entries.ts";

/**
 * Returns the outbox entry that starts the export of a finished run. Returns null if the account
 * has no enabled destination or the run has no events.
 */
export async function runExport(
  accountId: string,
  run: ArchivedRun,
  destinations: Pick<DestinationStore, "get">,
): Promise<OutboxEntry | null> {
  const destination = await destinations.get(accountId);
  const createdAt = run.events[0]?.createdAt;
  if (destination === null || !destination.enabled || createdAt === undefined) return null;
  const { runId, watchlistId, runNumber } = run;
  return firstEntry({ runId, watchlistId, runNumber, createdAt });
}
