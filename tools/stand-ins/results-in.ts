import type { EffectiveResult } from "../../shared/runs/batch.ts";
import type { StepOutcomes } from "../../shared/runs/run-outcomes.ts";
import type { RunResults } from "../../shared/runs/run-results.ts";

/** Converts outcomes in memory to run results: each entry of `stepOutcomes` becomes one batch. */
export const resultsIn = (
  stepOutcomes: readonly StepOutcomes[],
): RunResults<Pick<EffectiveResult, "outcomes">> => ({
  steps: stepOutcomes.map(({ step }) => step),
  async *of(step) {
    yield* stepOutcomes.filter((one) => one.step === step);
  },
});
