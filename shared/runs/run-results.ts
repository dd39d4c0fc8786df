import type { EffectiveResult } from "./batch.ts";
import type { StepOutcomes } from "./run-outcomes.ts";
import type { StepRecord } from "./step.ts";
import type { StepStore } from "./step-store.ts";

/** The results of a run's planned steps, which a caller can read several times, batch by batch. */
export interface RunResults<Result = EffectiveResult> {
  /** The planned steps, in run order. */
  readonly steps: readonly StepRecord[];
  /** Yields the results of a step, in batch order. */
  readonly of: (step: StepRecord) => AsyncIterable<Result> | Iterable<Result>;
}

/**
 * Maximum number of outcomes and history points that are kept in memory, about 20 MB. Nearly all
 * runs have fewer, so that their results are read once.
 */
const keptMax = 20_000;

/**
 * Returns the results of a run. Keeps the results of small steps after the first read. The results
 * of other steps are read again each time, so that the memory does not grow with the run.
 */
export function runResults(
  planned: readonly StepRecord[],
  steps: Pick<StepStore, "effectiveResults">,
): RunResults {
  const kept = new Map<string, readonly EffectiveResult[]>();
  let left = keptMax;
  return {
    steps: planned,
    async *of(step) {
      const known = kept.get(step.step);
      if (known !== undefined) {
        yield* known;
        return;
      }
      const results: EffectiveResult[] = [];
      let size = 0;
      for await (const result of steps.effectiveResults(step)) {
        size += result.outcomes.length + result.points.length;
        if (size <= left) results.push(result);
        else results.length = 0;
        yield result;
      }
      if (size > left) return;
      left -= size;
      kept.set(step.step, results);
    },
  };
}

/** The results of a run without steps. */
export const noResults: RunResults = { steps: [], of: () => [] };

/** Returns results whose outcomes are in memory. */
export const resultsIn = (
  stepOutcomes: readonly StepOutcomes[],
): RunResults<Pick<EffectiveResult, "outcomes">> => ({
  steps: stepOutcomes.map(({ step }) => step),
  of: (step) => stepOutcomes.filter((one) => one.step === step),
});
