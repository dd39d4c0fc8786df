import { type InferOutput, literal, nullable, number, object, string, variant } from "valibot";
import { derivedIdAt } from "../base/ids.ts";
import type { OutboxEntry } from "../outbox/outbox.ts";
import { type ExportRecord, newExport } from "./export-record.ts";

/** The next attempt to export a run. */
export const exportContent = object({
  kind: literal("export"),
  runId: string(),
  watchlistId: string(),
  runNumber: nullable(number()),
  /** When the run ended. */
  createdAt: string(),
});

/** A backfill: exports all runs that ended from `since` to `until`. `after`: the last processed run. */
const backfillContent = object({
  kind: literal("backfill"),
  since: string(),
  until: string(),
  after: nullable(object({ createdAt: string(), runId: string() })),
});

/** A requested retry: makes all exports that wait for a retry due at once. */
const retryContent = object({ kind: literal("retry") });

/** Content of an entry in a destination's outbox. */
export const outboxContent = variant("kind", [exportContent, backfillContent, retryContent]);
type ExportContent = InferOutput<typeof exportContent>;
export type BackfillContent = InferOutput<typeof backfillContent>;

type ExportedRun = Omit<ExportContent, "kind">;

/** The export of a run before its first attempt. */
export const exportOf = ({ runId, watchlistId, runNumber, createdAt }: ExportedRun): ExportRecord =>
  newExport({
    id: derivedIdAt("export", new Date(createdAt), runId),
    runId,
    watchlistId,
    runNumber,
    createdAt,
  });

/** The outbox entry for the first attempt of a run's export, due when the run ended. */
export const firstEntry = (run: ExportedRun): OutboxEntry => ({
  lane: "first",
  dueAt: run.createdAt,
  key: `export#${run.runId}`,
  content: contentOf(run),
});

/** The outbox entry for the next attempt of an export; none if the export has ended. */
export const nextEntries = (record: ExportRecord): readonly OutboxEntry[] =>
  record.nextAttemptAt === null
    ? []
    : [
        {
          lane: "later",
          dueAt: record.nextAttemptAt,
          key: record.id,
          content: contentOf(record),
        },
      ];

/** The outbox entry of a backfill. */
export const backfillEntry = (
  span: { readonly since: string; readonly until: string },
  now: Date,
): OutboxEntry => ({
  lane: "first",
  dueAt: now.toISOString(),
  key: `backfill#${span.since}#${span.until}`,
  content: { kind: "backfill", ...span, after: null } satisfies BackfillContent,
});

/** The outbox entry of a requested retry. */
export const retryEntry = (now: Date): OutboxEntry => ({
  lane: "first",
  dueAt: now.toISOString(),
  key: "retry",
  content: { kind: "retry" } satisfies InferOutput<typeof retryContent>,
});

const contentOf = ({ runId, watchlistId, runNumber, createdAt }: ExportedRun): ExportContent => ({
  kind: "export",
  runId,
  watchlistId,
  runNumber,
  createdAt,
});

/**
 * True if an entry is not obsolete: it is the first attempt of an export without attempts, or the
 * attempt for which the export waits.
 */
export const isFresh = ({ lane, dueAt }: OutboxEntry, known: ExportRecord | null): boolean => {
  if (lane === "first") return known === null || isUntried(known);
  return known?.state === "pending" && known.nextAttemptAt === dueAt;
};

const isUntried = ({ state, nextAttemptAt }: ExportRecord): boolean =>
  state === "pending" && nextAttemptAt === null;
