/**
 * Metrics of runs. Each metric is reported once, unless two processes handle the same message
 * concurrently.
 */
import { type Metrics, newMetrics } from "../observability/metrics.ts";
import { creditMetrics, itemMetrics } from "../items/item-metrics.ts";
import { isAlarming } from "./source-shape.ts";
import type { BatchCounts } from "./batch.ts";
import type { Run } from "./run.ts";
import type { StepRecord } from "./step.ts";

/**
 * Returns the metrics of the start of a run: that the run started, and how late it started.
 * @param due the time at which the run was scheduled; null for a manual run
 */
export const startMetrics = ({ startedAt }: Run, due: Date | null): Metrics =>
  newMetrics(
    "run_starts",
    {},
    {
      runs_started: 1,
      ...(due !== null && {
        run_late_ms: Math.max(0, new Date(startedAt).getTime() - due.getTime()),
      }),
    },
  );

/** Metrics of a scheduled run that was not started because another run was in progress. */
export const overlapMetrics: Metrics = newMetrics("run_starts", {}, { runs_overlapped: 1 });

/**
 * Returns the metrics of one batch: read time and item counts by status. `stepMetrics` contains the
 * credits.
 */
export const batchMetrics = (
  { scraper }: StepRecord,
  { counts, milliseconds }: { readonly counts: BatchCounts; readonly milliseconds: number },
): readonly Metrics[] => [
  newMetrics("batches", { scraper }, { batch_ms: milliseconds }),
  itemMetrics(scraper, counts),
];

/** Returns the metrics of the credits that one step reserved and charged. */
export const stepMetrics = (
  { scraper }: StepRecord,
  credits: { readonly reserved: number; readonly charged: number },
): Metrics => creditMetrics(scraper, credits);

/**
 * Returns the metric of a step's duration: the milliseconds from the sending of the step's batches
 * to the settling of its credits.
 */
export const stepTimeMetrics = ({ scraper }: StepRecord, milliseconds: number): Metrics =>
  newMetrics("steps", { scraper }, { step_ms: milliseconds });

/** Returns the metrics of an ended run. `run_ms` is NaN if the run has no end time. */
export function endMetrics({ status, startedAt, finishedAt, hold, shape }: Run): Metrics {
  const ended = finishedAt === null ? Number.NaN : new Date(finishedAt).getTime();
  return newMetrics(
    "run_ends",
    {},
    {
      runs_completed: status === "completed" ? 1 : 0,
      runs_failed: status === "failed" ? 1 : 0,
      runs_unpaid: status === "insufficient_credits" ? 1 : 0,
      runs_held: hold === undefined ? 0 : 1,
      runs_shape_changed: shape !== undefined && isAlarming(shape) ? 1 : 0,
      run_ms: ended - new Date(startedAt).getTime(),
    },
  );
}
