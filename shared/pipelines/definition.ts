import type { ScraperId } from "../scrapers/catalogue.ts";

/** A rule of a step: which outcomes it takes, and that they are reported. */
export interface PipelineRoute {
  readonly when: "changed";
  readonly notify: boolean;
}

export interface Step {
  readonly id: string;
  readonly scraper: ScraperId;
  readonly routes: readonly PipelineRoute[];
}

/** What a run does with its items (specification, section "Pipeline"). */
export interface Pipeline {
  readonly entry: string;
  readonly baseline: string | null;
  readonly refresh: { readonly everyRuns: number; readonly entry: string } | null;
  readonly steps: readonly Step[];
}

/** A step of a pipeline by id. */
export function stepOf(pipeline: Pipeline, id: string): Step {
  const step = pipeline.steps.find((candidate) => candidate.id === id);
  if (step === undefined) throw new Error(`Invariant broken: pipeline has no step '${id}'`);
  return step;
}
