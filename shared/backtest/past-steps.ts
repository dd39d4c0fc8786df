import { type Pipeline, runOrder, type Step } from "../pipelines/definition.ts";

/** The step of a past pipeline whose reads replace the reads of a tested step. */
export interface PastStep {
  readonly id: string;
  /** Position in the run order of the past pipeline. */
  readonly position: number;
}

/**
 * Finds, for each step of a tested pipeline, the step of a past pipeline that made the same reads.
 * Returns the past steps by ID of the tested step. Two steps make the same reads if they have the
 * same scraper and condition filter; IDs are only names. If several steps match, steps with equal
 * IDs are paired first, then the other steps in run order. If more tested steps than past steps
 * match, each remaining tested step gets the first matching past step. A tested step that no past
 * step matches is not in the result.
 */
export function pastStepsOf(tested: Pipeline, past: Pipeline): ReadonlyMap<string, PastStep> {
  const foundPastSteps = new Map<string, PastStep>();
  const pastSteps = runOrder(past).map((step, position) => ({ step, position }));
  const testedSteps = runOrder(tested);
  for (const read of new Set(testedSteps.map(readOf))) {
    const same = pastSteps.filter(({ step }) => readOf(step) === read);
    const wanted = testedSteps.filter((step) => readOf(step) === read);
    const ids = new Set(wanted.map(({ id }) => id));
    const free = same.filter(({ step }) => !ids.has(step.id));
    for (const { id } of wanted) {
      const one = same.find(({ step }) => step.id === id) ?? free.shift() ?? same[0];
      if (one !== undefined) foundPastSteps.set(id, { id: one.step.id, position: one.position });
    }
  }
  return foundPastSteps;
}

const readOf = ({ scraper, condition = "all" }: Step): string => `${scraper} ${condition}`;
