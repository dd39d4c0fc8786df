import { safeParse } from "valibot";
import { firstIdAt, latestBefore } from "../base/ids.ts";
import type { PendingPage } from "../outbox/merged-page.ts";
import { destinationTarget, type PendingWork } from "../outbox/outbox.ts";
import { exportContent, exportOf } from "./export-entries.ts";
import type { ExportRecord } from "./export-record.ts";
import type { ExportQuery, ExportStore } from "./export-store.ts";

export interface PendingExportSources {
  readonly pending: Pick<PendingWork, "newest">;
  readonly exports: Pick<ExportStore, "get">;
}

/**
 * Lists exports that have had no attempt yet and are not in the export log, newest first: those of
 * runs that the previous release published. Returns no entries if `state` is another state than
 * `pending`. May return more than `limit` entries. The result contains all matching exports down to
 * the returned ID `from`, or all of them if `from` is null.
 */
export async function pendingExports(
  accountId: string,
  { limit, before, state, watchlistId, since }: ExportQuery,
  { pending, exports }: PendingExportSources,
): Promise<PendingPage<ExportRecord>> {
  if ((state ?? "pending") !== "pending") return { entries: [], from: null };
  const span = { since: since ?? null, until: latestBefore("export", before), limit: limit + 1 };
  const foundEntries = await pending.newest(destinationTarget(accountId), span);
  const oldest = foundEntries.length > limit ? foundEntries.at(-1) : undefined;
  const unattempted = foundEntries
    .flatMap((entry) => {
      const content = safeParse(exportContent, entry.content);
      return content.success ? [{ ...exportOf(content.output), nextAttemptAt: entry.dueAt }] : [];
    })
    .filter((record) => (watchlistId ?? record.watchlistId) === record.watchlistId)
    .filter(({ id }) => before === null || id < before);
  const known = await Promise.all(unattempted.map(({ id }) => exports.get(accountId, id)));
  return {
    entries: unattempted.filter((_, n) => known[n] === null),
    from: oldest === undefined ? null : firstIdAt("export", new Date(oldest.dueAt)),
  };
}
