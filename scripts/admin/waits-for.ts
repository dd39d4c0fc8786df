import { assertNever } from "../../shared/base/assert.ts";
import type { Run, StepRecord } from "../../shared/runs/run.ts";
import { quantity } from "../../shared/base/quantity.ts";

/** Numbers that an operator still reads at a glance. */
const shownMax = 20;

/** The batches of a step that are not stored yet, from 0. */
export function batchesLeft(step: StepRecord): readonly number[] {
  const all = Array.from({ length: step.batches }, (_, batch) => batch);
  return all.filter((batch) => !step.done.has(batch)).slice(0, shownMax);
}

/** What has to happen for a run to go on, in the words of the README's operations. */
export function waitsFor(run: Run, steps: readonly StepRecord[]): string {
  switch (run.phase) {
    case "claimed":
      return "run-starter: to plan it (runs queue)";
    case "reading":
      return run.error === null ? reading(steps.at(-1)) : "run-starter: to end it, as given up";
    case "finishing":
      return "run-finisher: to fold it into its list (finishes queue)";
    case "emitting":
      return "run-finisher: to hand its events over (finishes queue)";
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
