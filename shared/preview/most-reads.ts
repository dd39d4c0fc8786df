import { creditsFor } from "../credits/charge.ts";
import { type Pipeline, runOrder, type Step } from "../pipelines/definition.ts";
import { stepScrapers } from "../scrapers/catalog.ts";

/** The reads of one step if every item takes every route. */
export interface MostReads {
  readonly step: Step;
  /** Number of items that the step reads. */
  readonly items: number;
  /** The highest price of these reads, in credits. */
  readonly credits: number;
}

/**
 * Returns the maximum number of items that each step of a run reads, and the maximum price of these
 * reads in credits, in run order. Leaves out steps that no item can reach.
 * @param starts for each item, the steps at which it can start
 */
export function mostReads(
  pipeline: Pipeline,
  starts: readonly ReadonlySet<string>[],
): readonly MostReads[] {
  const reached = starts.map((of) => new Set(of));
  return runOrder(pipeline).flatMap((step) => {
    const here = reached.filter((steps) => steps.has(step.id));
    if (here.length === 0) return [];
    for (const steps of here) {
      for (const { run } of step.routes) if (run !== undefined) steps.add(run);
    }
    const items = here.length;
    const { reserveQuarters } = stepScrapers[step.scraper];
    return [{ step, items, credits: creditsFor(items * reserveQuarters) }];
  });
}
