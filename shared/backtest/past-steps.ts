import { type Pipeline, runOrder, type Step } from "../pipelines/definition.ts";

/** The step of a past pipeline that made the read of a step. */
export interface PastStep {
  readonly id: string;
  /** Position in the run order of the past pipeline. */
  readonly position: number;
}

/**
 * Finds the steps of a past pipeline that made the reads of a tested pipeline, by ID of the tested
 * step. A read is known by its scraper and condition filter, because the ID of a step is only a
 * name. If several steps make the same read, steps with the same ID belong together, and the others
 * in run order. A tested step that is left over gets the first of the past steps. A step whose
 * scraper the past pipeline lacks has no past step.
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
