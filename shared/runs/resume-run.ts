import { assertNever } from "../base/assert.ts";
import { completeStep } from "./complete-step.ts";
import type { RunRef } from "./run.ts";
import { batchRefs, type StartDependencies, startRun } from "./start-run.ts";

/** Takes a run from wherever it stands: after a claim, a crash, or a lost message. */
export async function resumeRun(ref: RunRef, dependencies: StartDependencies): Promise<void> {
  const { runs, steps, queue } = dependencies;
  const run = await runs.get(ref);
  if (run === undefined) return;
  switch (run.phase) {
    case "claimed":
      return startRun(run, dependencies);
    case "reading": {
      const step = await steps.get(run.id, run.stats.entry);
      if (step === undefined) return;
      if (step.done.size === step.batches) return completeStep(run, step, dependencies);
      return queue.sendBatches(batchRefs(run, step));
    }
    case "finishing":
    case "emitting":
      return queue.sendFinish(run);
    case "done":
      return;
    default:
      assertNever(run.phase);
  }
}
