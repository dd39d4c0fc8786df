import { assertNever } from "../base/assert.ts";
import { advanceRun, batchRefs } from "./advance-run.ts";
import { completeStep } from "./complete-step.ts";
import { finishTimeoutMs, failOverdueRun } from "./finish-run.ts";
import { abandonRun, type AbandonDependencies, isStalled } from "./abandon-run.ts";
import { expireHold } from "./decide-hold.ts";
import type { Run, RunRef } from "./run.ts";
import { startRun } from "./start-run.ts";
import { areAllBatchesDone } from "./step.ts";

/**
 * Continues a run from its current phase, for example after its claim, after a crash of a process,
 * or after a lost message. Abandons a stalled run. Ends a run as failed if it has made no progress
 * in phase `finishing` for an hour. Discards a held run on which no client has decided within 7
 * days. Does nothing if the run is done. Idempotent. Returns the run as it was before this call.
 * Returns undefined if the run does not exist.
 */
export async function resumeRun(
  ref: RunRef,
  dependencies: AbandonDependencies,
): Promise<Run | undefined> {
  const run = await dependencies.runs.get(ref);
  if (run !== undefined) await continueRun(run, dependencies);
  return run;
}

/** Abandons a run that is stalled, or continues any other run from its phase. */
async function continueRun(run: Run, dependencies: AbandonDependencies): Promise<void> {
  const { queue, clock } = dependencies;
  if (isStalled(run, clock.now())) return abandonRun(run, dependencies);
  switch (run.phase) {
    case "claimed":
      return startRun(run, dependencies);
    case "reading":
      return resumeReading(run, dependencies);
    case "finishing":
      return resumeFinishing(run, dependencies);
    case "emitting":
    case "holding":
    case "releasing":
    case "discarding":
      return queue.sendFinish(run);
    case "held":
      return expireHeldRun(run, dependencies);
    case "done":
      return;
    default:
      assertNever(run.phase);
  }
}

async function resumeFinishing(run: Run, dependencies: AbandonDependencies): Promise<void> {
  if (isOverdue(run, dependencies.clock.now())) await failOverdueRun(run, dependencies);
  return dependencies.queue.sendFinish(run);
}

async function expireHeldRun(run: Run, dependencies: AbandonDependencies): Promise<void> {
  if (await expireHold(run, dependencies)) await dependencies.queue.sendFinish(run);
}

/**
 * Returns true if a run in phase `finishing` has made no progress for `finishTimeoutMs`. Always
 * false for a skipped run, which has no results to finalize.
 */
const isOverdue = (run: Run, now: Date): boolean =>
  run.status !== "insufficient_credits" &&
  now.getTime() - new Date(run.progressAt).getTime() >= finishTimeoutMs;

/**
 * Continues with the last planned step or, if all batches of that step are done, with the step
 * after it. Sends the messages of unfinished batches again, because the earlier messages may be
 * lost.
 */
async function resumeReading(run: Run, dependencies: AbandonDependencies): Promise<void> {
  const { steps, queue } = dependencies;
  const last = (await steps.list(run.id)).at(-1);
  if (last === undefined) return advanceRun(run, 0, dependencies);
  if (areAllBatchesDone(last))
    return completeStep(run, { step: last, batchesSentAt: null }, dependencies);
  if (!last.isSent) return advanceRun(run, last.position, dependencies);
  return queue.sendBatches(batchRefs(run, last));
}
