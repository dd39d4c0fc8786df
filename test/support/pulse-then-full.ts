import type { Pipeline } from "../../shared/pipelines/definition.ts";

/** A pipeline that reads every item with the pulse scraper and then with the full scraper. */
export const pulseThenFull: Pipeline = {
  entry: "pulse",
  baseline: null,
  refresh: null,
  steps: [
    { id: "pulse", scraper: "retailer_a.pulse", routes: [{ when: "always", run: "full" }] },
    { id: "full", scraper: "retailer_a.full", routes: [] },
  ],
};
