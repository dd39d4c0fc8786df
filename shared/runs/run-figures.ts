/** What an operator is told of runs; told once, save where a message is worked on twice at a time. */
import { type Figures, figures } from "../observability/figures.ts";
import { creditFigures, itemFigures } from "../items/item-figures.ts";
import type { BatchCounts, Run, StepRecord } from "./run.ts";

/** A run that began; `due`: what its schedule said, null for a run that was asked for. */
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

/** A batch that was read; its credits are settled with the step. */
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

/** How long a step took from the sending of its batches, which are sent all at once. */
export const stepTimeFigures = ({ scraper }: StepRecord, milliseconds: number): Figures =>
  figures("steps", { scraper }, { step_ms: milliseconds });

/** A run that ended, whatever its end was. */
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
