import { assertNever } from "../base/assert.ts";
import { advanceRun, batchRefs } from "./advance-run.ts";
import { completeStep } from "./complete-step.ts";
import { finishTimeoutMs, failOverdueRun } from "./finish-run.ts";
import { abandonRun, type AbandonDependencies, isStalled } from "./abandon-run.ts";
import type { Run, RunRef } from "./run.ts";
import { startRun } from "./start-run.ts";

/**
 * Continues a run from its current phase: after its claim, a crash or a lost message. Abandons a
 * stalled run. Ends a run as failed if it has been in phase `finishing` for too long. Does nothing
 * if the run is done or deleted. Idempotent.
 */
export async function resumeRun(ref: RunRef, dependencies: AbandonDependencies): Promise<void> {
  const { runs, queue, clock } = dependencies;
  const run = await runs.get(ref);
  if (run === undefined) return;
  if (isStalled(run, clock.now())) return abandonRun(run, dependencies);
  switch (run.phase) {
    case "claimed":
      return startRun(run, dependencies);
    case "reading":
      return resumeReading(run, dependencies);
    case "finishing":
      if (isOverdue(run, clock.now())) await failOverdueRun(run, dependencies);
      return queue.sendFinish(run);
    case "emitting":
      return queue.sendFinish(run);
    case "done":
      return;
    default:
      assertNever(run.phase);
  }
}

/**
 * Returns true if a run has been in phase `finishing` for too long. Always false for a skipped run:
 * it has no results that could fail.
 */
const isOverdue = (run: Run, now: Date): boolean =>
  run.status !== "insufficient_credits" &&
  now.getTime() - new Date(run.progressAt).getTime() >= finishTimeoutMs;

/**
 * Continues with the last planned step, or with the next step if all its batches are done. Sends
 * again the batches that are not done, because their messages may be lost.
 */
async function resumeReading(run: Run, dependencies: AbandonDependencies): Promise<void> {
  const { steps, queue } = dependencies;
  const last = (await steps.list(run.id)).at(-1);
  if (last === undefined) return advanceRun(run, 0, dependencies);
  if (last.done.size === last.batches)
    return completeStep(run, { step: last, batchesSentAt: null }, dependencies);
  if (!last.isSent) return advanceRun(run, last.position, dependencies);
  return queue.sendBatches(batchRefs(run, last));
}
