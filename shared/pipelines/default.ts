import type { Platform } from "../platforms/catalog.ts";
import type { Pipeline, Step } from "./definition.ts";
import type { PipelineRecord } from "./pipeline-schema.ts";

/** Default of `refresh_every_runs` (specification, section "Watchlists"). */
export const defaultRefreshEveryRuns = 8;

/**
 * Returns the default pipeline of a platform. On retailer_a, the first read of an item uses the
 * tier `full`. Later runs read the item with `pulse`. If `pulse` finds a change, or a buy-box price
 * above the lowest price, `lite` reads the item and reports changes. Every `refreshEveryRuns`th run
 * starts with `lite`; no run does if `refreshEveryRuns` is 0. Other platforms have one tier: every
 * run reads every item and reports changes of tracked fields, and `refreshEveryRuns` has no effect.
 */
export function defaultPipeline(platform: Platform, refreshEveryRuns: number): Pipeline {
  return platform === "retailer_a" ? retailerADefault(refreshEveryRuns) : oneTierDefault(platform);
}

/**
 * The step of retailer_a that reads all items at pulse, and routes those that may have changed to
 * lite.
 */
export const scanStep: Step = {
  id: "pulse",
  scraper: "retailer_a.pulse",
  routes: [
    { when: "changed", run: "lite" },
    { when: "ok", field: "buyboxAboveLowest", op: "is", value: true, run: "lite" },
  ],
};

const retailerADefault = (refreshEveryRuns: number): Pipeline => ({
  entry: "pulse",
  baseline: "full",
  refresh: refreshEveryRuns === 0 ? null : { everyRuns: refreshEveryRuns, entry: "lite" },
  steps: [
    scanStep,
    { id: "lite", scraper: "retailer_a.lite", routes: [{ when: "changed", notify: true }] },
    { id: "full", scraper: "retailer_a.full", routes: [] },
  ],
});

const oneTierDefault = (platform: Exclude<Platform, "retailer_a">): Pipeline => ({
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [
    {
      id: "check",
      scraper: `${platform}.standard`,
      routes: [{ when: "changed", notify: true }],
    },
  ],
});

/**
 * Converts a pipeline to its form in API responses. `parsePipeline` converts it back to an equal
 * pipeline.
 */
export function presentPipeline({ entry, baseline, refresh, steps }: Pipeline): PipelineRecord {
  return {
    entry,
    baseline,
    refresh: refresh && { every_runs: refresh.everyRuns, entry: refresh.entry },
    steps: steps.map((step) => ({
      ...step,
      routes: step.routes.map(({ where, ...route }) => ({
        ...route,
        ...(where !== undefined && { where: [...where] }),
      })),
    })),
  };
}
