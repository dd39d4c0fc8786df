import { type InferOutput, literal, nullable, number, object, string, variant } from "valibot";
import { derivedIdAt } from "../base/ids.ts";
import type { Entry } from "../outbox/outbox.ts";
import { type ExportRecord, newExport } from "./export-record.ts";

/** A run whose events the destination is to get. */
export const exportContent = object({
  kind: literal("export"),
  runId: string(),
  watchlistId: string(),
  runNumber: nullable(number()),
  /** When the run ended. */
  createdAt: string(),
});

/** Every run of a span of time; `after`: the last run that was looked at. */
const backfillContent = object({
  kind: literal("backfill"),
  since: string(),
  until: string(),
  after: nullable(object({ createdAt: string(), runId: string() })),
});

/** Every export that waits for its next attempt is to be attempted now. */
const retryContent = object({ kind: literal("retry") });

/** What a destination's outbox holds. */
export const outboxContent = variant("kind", [exportContent, backfillContent, retryContent]);
type ExportContent = InferOutput<typeof exportContent>;
export type BackfillContent = InferOutput<typeof backfillContent>;

type ExportedRun = Omit<ExportContent, "kind">;

/** The export that a run has when nobody has attempted it. */
export const exportOf = ({ runId, watchlistId, runNumber, createdAt }: ExportedRun): ExportRecord =>
  newExport({
    id: derivedIdAt("export", new Date(createdAt), runId),
    runId,
    watchlistId,
    runNumber,
    createdAt,
  });

/** The first attempt of a run's export, owed since the run ended. */
export const firstEntry = (run: ExportedRun): Entry => ({
  lane: "first",
  dueAt: run.createdAt,
  key: `export#${run.runId}`,
  content: contentOf(run),
});

/** The next attempt of an export, when it is due; nothing for one that is over. */
export const nextEntries = (record: ExportRecord): readonly Entry[] =>
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

/** Every run of a span of time, to be exported anew. */
export const backfillEntry = (
  span: { readonly since: string; readonly until: string },
  now: Date,
): Entry => ({
  lane: "first",
  dueAt: now.toISOString(),
  key: `backfill#${span.since}#${span.until}`,
  content: { kind: "backfill", ...span, after: null } satisfies BackfillContent,
});

/** Every export that waits for its next attempt, to be attempted now. */
export const retryEntry = (now: Date): Entry => ({
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
 * Whether an entry still stands for something to do: a first attempt of an export that none was
 * made of, or the attempt that the export waits for.
 */
export const isFresh = ({ lane, dueAt }: Entry, known: ExportRecord | null): boolean => {
  if (lane === "first") return known === null || isUntried(known);
  return known?.state === "pending" && known.nextAttemptAt === dueAt;
};

const isUntried = ({ state, nextAttemptAt }: ExportRecord): boolean =>
  state === "pending" && nextAttemptAt === null;
