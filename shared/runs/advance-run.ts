import { assert } from "../base/assert.ts";
import type { MetricsSink } from "../observability/figures.ts";
import { runOrder } from "../pipelines/definition.ts";
import { planStep, type PlanDependencies } from "./plan-step.ts";
import { decideStep, type ReserveDependencies } from "./reserve-step.ts";
import type { BatchRef, Run, StepRecord } from "./run.ts";
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
 * Starts the first step at or after position `from` that has items to read: sends its batches. All
 * steps before `from` must be complete. Idempotent. Does nothing unless the run is in phase
 * `reading` without an error. Does not send the batches of a step a second time, even if their
 * messages were lost; `resumeRun` does.
 *
 * Sends the run to the finisher in two cases: no step has items left to read, or the balance does
 * not cover the first step of the run that has items.
 */
export async function advanceRun(
  run: Run,
  from: number,
  dependencies: AdvanceDependencies,
): Promise<void> {
  const { runs, steps, queue } = dependencies;
  // A run that failed or ended is finished by the process that set its error or phase.
  if (run.phase !== "reading" || run.error !== null) return;
  const order = runOrder(run.pipeline);
  for (let position = from; position < order.length; position += 1) {
    const step = order[position];
    assert(step !== undefined, "every position in the run order has a step");
    const planned =
      (await steps.get(run.id, step.id)) ?? (await planStep(run, position, dependencies));
    if (planned === undefined || planned.stats !== null) continue;
    // Each repeated message of the previous step leads to this line. If it sent all batches again,
    // the number of messages would multiply with every step.
    if (planned.isSent) return;
    const decision = await decideStep(run, planned, dependencies);
    if (decision === "over") return;
    if (decision === "defer" && (await isFirst(planned, steps))) {
      await runs.startFinishing(run, "insufficient_credits", ["reading"]);
      return queue.sendFinish(run);
    }
    await queue.sendBatches(batchRefs(run, planned));
    await steps.recordSent(planned);
    return runs.recordProgress(run);
  }
  await runs.startFinishing(run, "completed", ["reading"]);
  return queue.sendFinish(run);
}

/** References to the batches of a step that are not marked as done. */
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
 * Returns true if no step before this one has items. If this step is then deferred, the whole run
 * is skipped.
 */
async function isFirst(step: StepRecord, steps: StepStore): Promise<boolean> {
  const [first] = await steps.list(step.runId);
  return first?.step === step.step;
}
