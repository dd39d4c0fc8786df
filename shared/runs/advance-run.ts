import { assert } from "../base/assert.ts";
import type { MetricsSink } from "../observability/metrics.ts";
import { runOrder } from "../pipelines/definition.ts";
import { planStep, type PlanDependencies, type PlannedStep } from "./plan-step.ts";
import { decideStep, type ReserveDependencies } from "./reserve-step.ts";
import { emptyStepStats, isDeferredUnread } from "./step.ts";
import type { BatchRef } from "./batch.ts";
import type { Run } from "./run.ts";
import type { StepRecord } from "./step.ts";
import type { RunQueue } from "./run-queue.ts";
import type { RunStore } from "./run-store.ts";
import type { StepStore } from "./step-store.ts";

export interface AdvanceDependencies extends PlanDependencies, ReserveDependencies {
  readonly runs: RunStore;
  readonly queue: RunQueue;
  /** Receives the metrics of steps and batches. */
  readonly report?: MetricsSink;
}

/**
 * Starts the next step of a run: the first one with items to read, at or after position `from` of
 * the run order. Positions count from 0, and all steps before `from` must be settled. Idempotent.
 *
 * Does nothing if the run is not in phase `reading`, or has an error because it was abandoned. Does
 * not send batches again, even if their messages were lost; `resumeRun` does this. Otherwise:
 *
 * - No step has items to read: sends the run to the finisher as completed.
 * - The credits of the step are reserved: sends the batches of the step.
 * - The credits are not reserved, and the run has read something: sends the batches. The step
 *   worker does not read the items, and records them as deferred.
 * - The credits are not reserved, the run has read nothing, and the balance is too low: sends the
 *   run to the finisher as skipped (status `insufficient_credits`).
 * - The credits are not reserved, the run has read nothing, and a credit limit or a daily budget is
 *   too low: defers the step and continues with the next one, which may be cheaper.
 *
 * @throws 503 UNAVAILABLE if rows stay contended or the retry budget is exhausted
 */
export async function advanceRun(
  run: Run,
  from: number,
  dependencies: AdvanceDependencies,
): Promise<void> {
  const { runs, queue } = dependencies;
  // Another process has marked the run as failed or moved it to a later phase. That process also
  // sends the run to the finisher.
  if (run.phase !== "reading" || run.error !== null) return;
  const order = runOrder(run.pipeline);
  for (let position = from; position < order.length; position += 1) {
    const step = order[position];
    assert(step !== undefined, "every position in the run order must have a step");
    const planned = await plannedStep(run, { id: step.id, position }, dependencies);
    if (planned.kind === "over") return;
    if (planned.kind === "empty" || planned.step.stats !== null) continue;
    // Each repeated message of the previous step reaches this line. If each repetition sent all
    // batches again, the number of messages would multiply with every step.
    if (planned.step.isSent) return;
    if ((await startStep(run, planned.step, dependencies)) === "done") return;
  }
  await runs.startFinishing(run, "completed", ["reading"]);
  return queue.sendFinish(run);
}

/** Returns the stored plan of a step, or plans the step if it has no plan. */
async function plannedStep(
  run: Run,
  { id, position }: { readonly id: string; readonly position: number },
  dependencies: AdvanceDependencies,
): Promise<PlannedStep> {
  const stored = await dependencies.steps.get(run.id, id);
  if (stored !== undefined) return { kind: "planned", step: stored };
  return planStep(run, position, dependencies);
}

/**
 * Reserves the credits of a step and sends its batches, or sends the run to the finisher. Returns
 * `deferred` if a limit or a budget deferred the step and no batch was sent, so that the caller
 * starts the next step. Returns `done` in all other cases.
 */
async function startStep(
  run: Run,
  step: StepRecord,
  dependencies: AdvanceDependencies,
): Promise<"done" | "deferred"> {
  const { runs, steps, queue } = dependencies;
  const decision = await decideStep(run, step, dependencies);
  if (decision === "over") return "done";
  if (decision === "defer" && (await hasReadNothing(step, steps))) {
    const decided = await steps.get(run.id, step.step);
    if (decided?.shortfall?.limit === undefined) {
      await runs.startFinishing(run, "insufficient_credits", ["reading"]);
      await queue.sendFinish(run);
      return "done";
    }
    // In the next run, every item of this step starts at this step again, so no item needs an owed
    // retry. A watchlist that waits for its budget therefore costs the service almost nothing.
    await steps.recordStats({ ...step, stats: emptyStepStats(step.scraper) });
    return "deferred";
  }
  await queue.sendBatches(batchRefs(run, step));
  await steps.recordSent(step);
  await runs.recordProgress(run);
  return "done";
}

/** Returns references to those batches of a step that are not marked as done, in batch order. */
export function batchRefs(run: Run, step: StepRecord): BatchRef[] {
  return Array.from({ length: step.batches }, (_, batch) => batch)
    .filter((batch) => !step.done.has(batch))
    .map((batch) => ({
      accountId: run.accountId,
      watchlistId: run.watchlistId,
      runNumber: run.runNumber,
      runId: run.id,
      step: step.step,
      plan: step.plan,
      starts: step.starts,
      batch,
    }));
}

/**
 * Returns true if credit limits deferred every planned step before `step`. Also returns true if
 * `step` is the first planned step.
 */
async function hasReadNothing(step: StepRecord, steps: StepStore): Promise<boolean> {
  const planned = await steps.list(step.runId);
  return planned.filter(({ position }) => position < step.position).every(isDeferredUnread);
}
