import { describe, expect, it } from "vitest";
import {
  defaultPipeline,
  defaultRefreshEveryRuns,
  presentPipeline,
} from "../../../shared/pipelines/default.ts";

describe("the default pipeline", () => {
  it.each(["retailer_b", "retailer_c", "retailer_d"] as const)(
    "of the platform %s reads every item, reports changes and has no refresh",
    (platform) => {
      expect(presentPipeline(defaultPipeline(platform, defaultRefreshEveryRuns))).toEqual({
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
    },
  );

  it("of retailer_a reads all items at the tier pulse, changed items also at lite, and new items at full", () => {
    expect(presentPipeline(defaultPipeline("retailer_a", defaultRefreshEveryRuns))).toEqual({
      entry: "pulse",
      baseline: "full",
      refresh: { every_runs: 8, entry: "lite" },
      steps: [
        {
          id: "pulse",
          scraper: "retailer_a.pulse",
          routes: [
            { when: "changed", run: "lite" },
            { when: "ok", field: "buyboxAboveLowest", op: "is", value: true, run: "lite" },
          ],
        },
        {
          id: "lite",
          scraper: "retailer_a.lite",
          routes: [{ when: "changed", notify: true }],
        },
        { id: "full", scraper: "retailer_a.full", routes: [] },
      ],
    });
  });

  it("of retailer_a has a refresh every 'refreshEveryRuns' runs, or none if this number is 0", () => {
    expect(defaultPipeline("retailer_a", 3).refresh).toEqual({ everyRuns: 3, entry: "lite" });
    expect(defaultPipeline("retailer_a", 0).refresh).toBeNull();
  });
});
