import type { EffectiveResult } from "./batch.ts";
import type { StepRecord } from "./step.ts";
import type { StepStore } from "./step-store.ts";

/** The results of a run's planned steps, which a caller can read several times, batch by batch. */
export interface RunResults<Result = EffectiveResult> {
  /** The planned steps, in run order. */
  readonly steps: readonly StepRecord[];
  /** Yields the results of a step, in batch order. */
  readonly of: (step: StepRecord) => AsyncIterable<Result>;
}

/** Bounds of the memory for the results of a run. */
export const resultBounds = {
  /**
   * Maximum number of outcomes and history points that are kept in memory, about 20 MB. Nearly all
   * runs have fewer, so that their results are read once.
   */
  keptMax: 20_000,
};

/**
 * Returns the results of a run. Keeps the results of small steps after the first read. The results
 * of other steps are read again each time, so that the memory does not grow with the run, even if
 * the caller reads all steps at the same time.
 */
export function runResults(
  planned: readonly StepRecord[],
  steps: Pick<StepStore, "effectiveResults">,
): RunResults {
  const kept = new Map<string, readonly EffectiveResult[]>();
  const tooLarge = new Set<string>();
  let left = resultBounds.keptMax;
  /** Yields the results of a step, and keeps them if they fit into the memory that is left. */
  async function* readStep(step: StepRecord): AsyncGenerator<EffectiveResult> {
    const results: EffectiveResult[] = [];
    let size = 0;
    try {
      for await (const result of steps.effectiveResults(step)) {
        const more = result.outcomes.length + result.points.length;
        if (more > left) tooLarge.add(step.step);
        if (tooLarge.has(step.step)) {
          left += size;
          size = 0;
          results.length = 0;
        } else {
          left -= more;
          size += more;
          results.push(result);
        }
        yield result;
      }
      if (!tooLarge.has(step.step)) kept.set(step.step, results);
    } finally {
      // If the caller stops before the last result, the results read so far are not kept.
      if (!kept.has(step.step)) left += size;
    }
  }
  return {
    steps: planned,
    of(step) {
      const known = kept.get(step.step);
      if (known !== undefined) return yieldAll(known);
      return tooLarge.has(step.step) ? steps.effectiveResults(step) : readStep(step);
    },
  };
}

async function* yieldAll<Result>(results: readonly Result[]): AsyncGenerator<Result> {
  yield* results;
}

/** The results of a run without steps. */
export const noResults: RunResults = { steps: [], of: () => yieldAll([]) };
