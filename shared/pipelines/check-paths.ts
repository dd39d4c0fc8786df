import { invalidParam } from "../base/errors.ts";
import { didYouMean } from "../base/nearest.ts";
import { type StepScraperId, stepScraperIds, stepScrapers } from "../scrapers/catalog.ts";
import { nextOf, type Pipeline, type Step, startsOf, stepOf } from "./definition.ts";

/** A reference to a step, and the key of the request that contains the reference. */
interface Way {
  readonly to: string;
  readonly param: string;
}

/**
 * Checks the paths through a pipeline:
 *
 * - all referenced steps exist;
 * - no path loops;
 * - a run can reach every step;
 * - on each path, a product or offers step, which finds the offer in the buy box, precedes each
 *   `offer_check` step.
 *
 * @param path path of the pipeline in the request; `param` of an error begins with it
 * @throws 400 with `param` = the key to change
 */
export function checkPaths(pipeline: Pipeline, path: string): void {
  checkNames(pipeline, path);
  checkNoLoops(pipeline, path);
  checkReached(pipeline, path);
  checkOffersAreFound(pipeline, path);
}

/** Returns the references of a pipeline to the steps at which a run can start. */
function startWays({ entry, baseline, refresh }: Pipeline, path: string): readonly Way[] {
  return [
    { to: entry, param: `${path}.entry` },
    ...(refresh === null ? [] : [{ to: refresh.entry, param: `${path}.refresh.entry` }]),
    ...(baseline === null ? [] : [{ to: baseline, param: `${path}.baseline` }]),
  ];
}

/** Returns the references of a step's routes to other steps. */
const waysFrom = (pipeline: Pipeline, step: Step, path: string): readonly Way[] =>
  step.routes.flatMap(({ run }, at) =>
    run === undefined
      ? []
      : [{ to: run, param: `${path}.steps[${pipeline.steps.indexOf(step)}].routes[${at}].run` }],
  );

/**
 * Checks that all references name a step.
 * @throws 400 for the first that does not
 */
function checkNames(pipeline: Pipeline, path: string): void {
  const ids = pipeline.steps.map(({ id }) => id);
  const ways = [
    ...startWays(pipeline, path),
    ...pipeline.steps.flatMap((step) => waysFrom(pipeline, step, path)),
  ];
  const lost = ways.find(({ to }) => !ids.includes(to));
  if (lost !== undefined) {
    throw invalidParam(
      lost.param,
      `No step has the ID '${lost.to}'. Steps of this pipeline: ${ids.join(", ")}.` +
        didYouMean(lost.to, ids),
    );
  }
}

/**
 * Checks that no step routes items to itself or to an earlier step.
 * @throws 400 with the loop
 */
function checkNoLoops(pipeline: Pipeline, path: string): void {
  const done = new Set<string>();
  const visit = (step: Step, trail: readonly string[]): void => {
    if (done.has(step.id)) return;
    const here = [...trail, step.id];
    for (const { to, param } of waysFrom(pipeline, step, path)) {
      if (here.includes(to)) {
        const loop = [...here.slice(here.indexOf(to)), to].join(" -> ");
        throw invalidParam(
          param,
          `Steps must not form a loop (got ${loop}). Route the items to a later step, or remove the route.`,
        );
      }
      visit(stepOf(pipeline, to), here);
    }
    done.add(step.id);
  };
  for (const step of pipeline.steps) visit(step, []);
}

/**
 * Checks that a run can reach every step.
 * @throws 400 for the first step that no run can reach
 */
function checkReached(pipeline: Pipeline, path: string): void {
  const reached = new Set(startsOf(pipeline));
  // The loop also processes the IDs that are added during the loop.
  for (const id of reached) {
    for (const next of nextOf(stepOf(pipeline, id))) reached.add(next);
  }
  const at = pipeline.steps.findIndex(({ id }) => !reached.has(id));
  const unreached = pipeline.steps[at];
  if (unreached !== undefined) {
    throw invalidParam(
      `${path}.steps[${at}]`,
      `No run reaches the step '${unreached.id}'. Add a route with 'run': '${unreached.id}', make ` +
        "this step the entry, the baseline or the refresh entry, or remove the step.",
    );
  }
}

/** IDs of the scrapers that read which offer is in the buy box. */
const offerFinders: readonly StepScraperId[] = stepScraperIds.filter((id) =>
  ["product", "offers"].includes(stepScrapers[id].kind),
);

/**
 * Checks that every path to an `offer_check` step contains a product step (lite or full) or an
 * offers step before it. A path begins at any step at which a run can start.
 */
function checkOffersAreFound(pipeline: Pipeline, path: string): void {
  const seen = new Set<string>();
  const visit = ({ to, param }: Way, trail: readonly string[]): void => {
    const step = stepOf(pipeline, to);
    const here = [...trail, to];
    if (stepScrapers[step.scraper].kind === "offer_check") {
      throw invalidParam(
        param,
        `Step '${to}' checks an offer, but on the path ${here.join(" -> ")}, no earlier step finds the ` +
          `offer. Put a step with one of these scrapers before '${to}': ` +
          `${offerFinders.join(", ")}.`,
      );
    }
    if (seen.has(to) || offerFinders.includes(step.scraper)) return;
    seen.add(to);
    for (const way of waysFrom(pipeline, step, path)) visit(way, here);
  };
  for (const way of startWays(pipeline, path)) visit(way, []);
}
