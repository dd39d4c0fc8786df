import type { InferOutput } from "valibot";
import { mergePage } from "../outbox/merged-page.ts";
import type { exportsQuery, exportsResponse } from "./export-schema.ts";
import type { ExportStore } from "./export-store.ts";
import { pendingExports, type PendingExportSources } from "./pending-exports.ts";
import { presentExport } from "./present.ts";

export interface ListExportsDependencies extends PendingExportSources {
  readonly exports: Pick<ExportStore, "get" | "list">;
}

/**
 * Lists exports of an account, newest first. Includes exports that have had no attempt yet. Those
 * that the previous release requested are not in the export log.
 */
export async function listExports(
  accountId: string,
  query: InferOutput<typeof exportsQuery>,
  dependencies: ListExportsDependencies,
): Promise<InferOutput<typeof exportsResponse>> {
  const { limit, starting_after: before = null, state = null, watchlist_id: watchlistId } = query;
  const since = query.since === undefined ? null : new Date(query.since).toISOString();
  const wanted = { limit, before, state, watchlistId: watchlistId ?? null, since };
  // Reads pending exports first: an export that is logged between the two reads is then in both
  // results. In the other order, both reads would miss it.
  const pending = await pendingExports(accountId, wanted, dependencies);
  const { exports: entries, lastId } = await dependencies.exports.list(accountId, wanted);
  const page = mergePage({ entries, lastId }, pending, limit);
  return {
    object: "list",
    data: page.entries.map(presentExport),
    has_more: page.lastId !== null,
    next_starting_after: page.lastId,
  };
}
