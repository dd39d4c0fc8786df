import { assertNever } from "../../shared/base/assert.ts";
import type { Run } from "../../shared/runs/run.ts";
import type { StepRecord } from "../../shared/runs/step.ts";
import { quantity } from "../../shared/base/quantity.ts";

/** The largest number of batch numbers to show. */
const shownMax = 20;

/**
 * Returns the numbers of a step's batches whose results are not stored yet, in ascending order. If
 * there are more than 20, returns only the lowest 20. The first batch of a step has number 0.
 */
export function pendingBatches(step: StepRecord): readonly number[] {
  const all = Array.from({ length: step.batches }, (_, batch) => batch);
  return all.filter((batch) => !step.done.has(batch)).slice(0, shownMax);
}

/**
 * Describes what an unfinished run waits for, in the terms of docs/operate.md.
 * @param steps The stored steps of the run.
 */
export function waitsFor(run: Run, steps: readonly StepRecord[]): string {
  switch (run.phase) {
    case "claimed":
      return "run-starter: to plan the run (runs queue)";
    case "reading":
      return run.error === null ? reading(steps.at(-1)) : "run-starter: to end the run as failed";
    case "finishing":
      return "run-finisher: to store its results in the watchlist (finishes queue)";
    case "emitting":
      return "run-finisher: to publish its events (finishes queue)";
    case "holding":
      return "run-finisher: to publish the notice that the run is held (finishes queue)";
    case "held":
      return "the customer: to release or discard the run, at most 7 days after its end";
    case "releasing":
      return "run-finisher: to publish its events (finishes queue)";
    case "discarding":
      return "run-finisher: to restore the items (finishes queue)";
    case "done":
      return "nothing";
    default:
      return assertNever(run.phase);
  }
}

function reading(step: StepRecord | undefined): string {
  if (step === undefined) return "run-starter: to plan its first step (runs queue)";
  const left = step.batches - step.done.size;
  if (step.decision === null) return `a decision whether step ${step.step} can be paid for`;
  if (left > 0)
    return `run-step: ${left} of ${quantity(step.batches, "batch", "batches")} of step ${step.step} (steps queue)`;
  return `run-step: to end step ${step.step} and begin the next (steps queue)`;
}
