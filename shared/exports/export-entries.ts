import { type InferOutput, literal, nullable, number, object, string, variant } from "valibot";
import { derivedIdAt } from "../base/ids.ts";
import type { OutboxEntry } from "../outbox/outbox.ts";
import { type ExportRecord, newExport } from "./export-record.ts";

/** Content of an entry for the next attempt to export a run. */
export const exportContent = object({
  kind: literal("export"),
  runId: string(),
  watchlistId: string(),
  runNumber: nullable(number()),
  /** Time at which the run ended (ISO). */
  createdAt: string(),
});

/**
 * Content of an entry for a backfill, which exports all runs that ended from `since` to `until`.
 * `after` is the last run that was processed; null before the first one.
 */
const backfillContent = object({
  kind: literal("backfill"),
  since: string(),
  until: string(),
  after: nullable(object({ createdAt: string(), runId: string() })),
});

/**
 * Content of an entry for a retry that a client requested. It makes all waiting exports due
 * immediately.
 */
const retryContent = object({ kind: literal("retry") });

/** The content of an entry in a destination's outbox. */
export const outboxContent = variant("kind", [exportContent, backfillContent, retryContent]);
type ExportContent = InferOutput<typeof exportContent>;
export type BackfillContent = InferOutput<typeof backfillContent>;

/** A run to export. */
export type ExportedRun = Omit<ExportContent, "kind">;

/** Returns the export record of a run before its first attempt. */
export const exportOf = ({ runId, watchlistId, runNumber, createdAt }: ExportedRun): ExportRecord =>
  newExport({
    id: derivedIdAt("export", new Date(createdAt), runId),
    runId,
    watchlistId,
    runNumber,
    createdAt,
  });

/**
 * Returns the outbox entry for the first attempt to export a run. It is due at the end time of the
 * run.
 */
export const firstEntry = (run: ExportedRun): OutboxEntry => ({
  lane: "first",
  dueAt: run.createdAt,
  key: `export#${run.runId}`,
  content: contentOf(run),
});

/**
 * Returns an array with the outbox entry for the next attempt of an export; an empty array if no
 * attempt is planned.
 */
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

/**
 * Returns the outbox entry for a backfill of a time span, due at `now`. Backfills of the same span
 * have the same key, so that they are processed one after the other.
 */
export const backfillEntry = (
  span: { readonly since: string; readonly until: string },
  now: Date,
): OutboxEntry => ({
  lane: "first",
  dueAt: now.toISOString(),
  key: `backfill#${span.since}#${span.until}`,
  content: { kind: "backfill", ...span, after: null } satisfies BackfillContent,
});

/**
 * Returns the outbox entry for a client's request to retry the pending exports. The entry is due at
 * `now`. All such entries have the same key, so that they are processed one after the other.
 */
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
 * Returns true if an outbox entry still belongs to the next attempt of its export; false if the
 * entry is obsolete. An entry in lane `first` is valid before the first attempt. An entry in lane
 * `later` is valid if its due time is the time of the next attempt in the export record.
 * @param known the export record; null before the first attempt
 */
export const isFresh = ({ lane, dueAt }: OutboxEntry, known: ExportRecord | null): boolean => {
  if (lane === "first") return known === null || isUntried(known);
  return known?.state === "pending" && known.nextAttemptAt === dueAt;
};

/**
 * Returns true if an export has had no attempt and was not made pending by a backfill. It is then
 * due at the end of its run.
 */
export const isUntried = ({ state, nextAttemptAt }: ExportRecord): boolean =>
  state === "pending" && nextAttemptAt === null;
