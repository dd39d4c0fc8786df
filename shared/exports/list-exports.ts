import type { InferOutput } from "valibot";
import { mergePage } from "../outbox/merged-page.ts";
import type { DestinationStore } from "./destination-store.ts";
import type { exportsQuery, exportsResponse } from "./export-schema.ts";
import type { ExportStore } from "./export-store.ts";
import { pendingExports, type PendingExportSources } from "./pending-exports.ts";
import { presentExport, statusOf } from "./present.ts";

export interface ListExportsDependencies extends PendingExportSources {
  readonly exports: Pick<ExportStore, "get" | "list">;
  readonly destinations: Pick<DestinationStore, "get">;
}

/**
 * Lists exports of an account, newest first, with the status of its destination. Includes exports
 * that have had no attempt yet. The export log lacks such an export if the previous release
 * published its run.
 */
export async function listExports(
  accountId: string,
  query: InferOutput<typeof exportsQuery>,
  dependencies: ListExportsDependencies,
): Promise<InferOutput<typeof exportsResponse>> {
  const { limit, starting_after: before = null, state = null, watchlist_id: watchlistId } = query;
  const since = query.since === undefined ? null : new Date(query.since).toISOString();
  const wanted = { limit, before, state, watchlistId: watchlistId ?? null, since };
  // Reads the pending exports first. An export that is logged between the two reads is then in both
  // results. If the log were read first, the export would be in neither result.
  const [pending, destination] = await Promise.all([
    pendingExports(accountId, wanted, dependencies),
    dependencies.destinations.get(accountId),
  ]);
  const { exports: entries, lastId } = await dependencies.exports.list(accountId, wanted);
  const page = mergePage({ entries, lastId }, pending, limit);
  return {
    object: "list",
    data: page.entries.map(presentExport),
    destination_status: destination === null ? null : statusOf(destination),
    has_more: page.lastId !== null,
    next_starting_after: page.lastId,
  };
}
