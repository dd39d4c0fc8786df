/** Metrics of runs. Reported once, except if two processes work on the same message at once. */
import { type Figures, figures } from "../observability/figures.ts";
import { creditFigures, itemFigures } from "../items/item-figures.ts";
import type { BatchCounts, Run, StepRecord } from "./run.ts";

/** Metrics of a started run. @param due scheduled time; null for a manual run */
export const startFigures = ({ startedAt }: Run, due: Date | null): Figures =>
  figures(
    "run_starts",
    {},
    {
      runs_started: 1,
      ...(due !== null && {
        run_late_ms: Math.max(0, new Date(startedAt).getTime() - due.getTime()),
      }),
    },
  );

export const overlapFigures: Figures = figures("run_starts", {}, { runs_overlapped: 1 });

/** Metrics of a batch that was read. The step's metrics contain its credits. */
export const batchFigures = (
  { scraper }: StepRecord,
  { counts, milliseconds }: { readonly counts: BatchCounts; readonly milliseconds: number },
): readonly Figures[] => [
  figures("batches", { scraper }, { batch_ms: milliseconds }),
  itemFigures(scraper, counts),
];

export const stepFigures = (
  { scraper }: StepRecord,
  credits: { readonly reserved: number; readonly charged: number },
): Figures => creditFigures(scraper, credits);

/** Duration of a step, from the time at which its batches were sent. */
export const stepTimeFigures = ({ scraper }: StepRecord, milliseconds: number): Figures =>
  figures("steps", { scraper }, { step_ms: milliseconds });

/** Metrics of an ended run. */
export function endFigures({ status, startedAt, finishedAt }: Run): Figures {
  const ended = finishedAt === null ? Number.NaN : new Date(finishedAt).getTime();
  return figures(
    "run_ends",
    {},
    {
      runs_completed: status === "completed" ? 1 : 0,
      runs_failed: status === "failed" ? 1 : 0,
      runs_unpaid: status === "insufficient_credits" ? 1 : 0,
      run_ms: ended - new Date(startedAt).getTime(),
    },
  );
}
