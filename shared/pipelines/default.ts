import { scraperIds, scrapers } from "../scrapers/catalogue.ts";
import type { Pipeline } from "./definition.ts";

/** The default pipeline of a one-tier platform: read every item, report tracked fields that moved. */
export function defaultPipeline(platform: string): Pipeline {
  const scraper = scraperIds.find(
    (id) => scrapers[id].platform === platform && scrapers[id].tier === "standard",
  );
  if (scraper === undefined)
    throw new Error(`Invariant broken: no standard scraper of ${platform}`);
  return {
    entry: "check",
    baseline: null,
    refresh: null,
    steps: [{ id: "check", scraper, routes: [{ when: "changed", notify: true }] }],
  };
}

/** A pipeline in the wire's words. */
export function presentPipeline(pipeline: Pipeline): Record<string, unknown> {
  return {
    entry: pipeline.entry,
    baseline: pipeline.baseline,
    refresh:
      pipeline.refresh === null
        ? null
        : { every_runs: pipeline.refresh.everyRuns, entry: pipeline.refresh.entry },
    steps: pipeline.steps,
  };
}
