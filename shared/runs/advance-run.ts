import { assert } from "../base/assert.ts";
import type { MetricsSink } from "../observability/metrics.ts";
import { runOrder } from "../pipelines/definition.ts";
import { planStep, type PlanDependencies } from "./plan-step.ts";
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
 * Starts the first step at or after position `from` of the run order that has items to read, by
 * sending its batches. All steps before `from` must be complete. Idempotent. Does nothing if the
 * run is in another phase than `reading`, or if it has an error because it was abandoned. Does not
 * send the batches of a step again, even if their messages were lost; `resumeRun` does this. Sends
 * the run to the finisher in two cases: no step has items left to read; or the balance does not
 * cover the next step, and the run has not read anything yet. If the customer's credit limit or
 * daily budget does not cover a step, defers only this step, so that a cheaper step can still be
 * read.
 */
export async function advanceRun(
  run: Run,
  from: number,
  dependencies: AdvanceDependencies,
): Promise<void> {
  const { runs, steps, queue } = dependencies;
  // Another process has marked the run as failed or moved it to a later phase. That process also
  // finishes the run.
  if (run.phase !== "reading" || run.error !== null) return;
  const order = runOrder(run.pipeline);
  for (let position = from; position < order.length; position += 1) {
    const step = order[position];
    assert(step !== undefined, "every position in the run order must have a step");
    const planned =
      (await steps.get(run.id, step.id)) ?? (await planStep(run, position, dependencies));
    if (planned === "over") return;
    if (planned === undefined || planned.stats !== null) continue;
    // Each repeated message of the previous step leads to this line. If each of them sent all
    // batches again, the number of messages would multiply with every step.
    if (planned.isSent) return;
    if ((await startStep(run, planned, dependencies)) === "done") return;
  }
  await runs.startFinishing(run, "completed", ["reading"]);
  return queue.sendFinish(run);
}

/**
 * Reserves the credits of a step and sends its batches, or ends the run. Returns `passed` if the
 * step was deferred without sending its batches, so that the next step follows immediately.
 */
async function startStep(
  run: Run,
  step: StepRecord,
  dependencies: AdvanceDependencies,
): Promise<"done" | "passed"> {
  const { runs, steps, queue } = dependencies;
  const decision = await decideStep(run, step, dependencies);
  if (decision === "over") return "done";
  if (decision === "defer" && (await isNothingRead(step, steps))) {
    const decided = await steps.get(run.id, step.step);
    if (decided?.shortfall?.limit === undefined) {
      await runs.startFinishing(run, "insufficient_credits", ["reading"]);
      await queue.sendFinish(run);
      return "done";
    }
    // In the next run, every item of this step starts at this step again, so no item needs an owed
    // retry. A watchlist that waits for its budget therefore costs the service almost nothing.
    await steps.recordStats({ ...step, stats: emptyStepStats(step.scraper) });
    return "passed";
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
async function isNothingRead(step: StepRecord, steps: StepStore): Promise<boolean> {
  const planned = await steps.list(step.runId);
  return planned.filter(({ position }) => position < step.position).every(isDeferredUnread);
}
