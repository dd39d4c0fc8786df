import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { defaultPipeline } from "../../../shared/pipelines/default.ts";
import type { Pipeline, Route, When } from "../../../shared/pipelines/definition.ts";
import { boundsOf, estimatedCredits } from "../../../shared/pipelines/estimate.ts";
import { anyPipeline } from "./any-pipeline.ts";

const items = { new: 10, active: 91, delisted: 1_000 };

const twoSteps = (route: Route): Pipeline => ({
  entry: "a",
  baseline: null,
  refresh: null,
  steps: [
    { id: "a", scraper: "retailer_a.pulse", routes: [{ ...route, run: "b" }] },
    { id: "b", scraper: "retailer_a.offers", routes: [] },
  ],
});

describe("the estimated credits of a run", () => {
  it("for the default pipeline of retailer_a include all items at the tier pulse, a refresh at lite, and new items at full", () => {
    expect(estimatedCredits(defaultPipeline("retailer_a", 8), items)).toEqual({
      pulseRun: 26,
      refreshRun: 101,
      newAsins: 50,
    });
  });

  it("are the same for refresh runs and other runs if the pipeline has no refresh", () => {
    expect(estimatedCredits(defaultPipeline("retailer_a", 0), items)).toMatchObject({
      pulseRun: 26,
      refreshRun: 26,
    });
  });

  it.each(["retailer_b", "retailer_c", "retailer_d"] as const)(
    "for the default pipeline of the platform %s are one credit for every item that is not delisted",
    (platform) => {
      expect(estimatedCredits(defaultPipeline(platform, 8), items)).toEqual({
        pulseRun: 101,
        refreshRun: 101,
        newAsins: 10,
      });
    },
  );

  it.each<[string, Route, { readonly pulseRun: number; readonly newAsins: number }]>([
    ["always", { when: "always" }, { pulseRun: 26 + 303, newAsins: 3 + 30 }],
    ["ok", { when: "ok" }, { pulseRun: 26 + 303, newAsins: 3 + 30 }],
    ["unchanged", { when: "unchanged" }, { pulseRun: 26 + 303, newAsins: 3 }],
    ["new", { when: "new" }, { pulseRun: 26, newAsins: 3 + 30 }],
    ["changed", { when: "changed" }, { pulseRun: 26, newAsins: 3 }],
    ["failed", { when: "failed" }, { pulseRun: 26, newAsins: 3 }],
    ["not_found", { when: "not_found" }, { pulseRun: 26, newAsins: 3 }],
    [
      "ok with a test",
      { when: "ok", field: "newCount", op: "above", value: 1 },
      { pulseRun: 26, newAsins: 3 },
    ],
    [
      "ok with a test in where",
      { when: "ok", where: [{ field: "newCount", op: "above", value: 1 }] },
      { pulseRun: 26, newAsins: 3 },
    ],
    ["unchanged with once", { when: "unchanged", once: true }, { pulseRun: 26, newAsins: 3 }],
    ["ok without once", { when: "ok", once: false }, { pulseRun: 26 + 303, newAsins: 3 + 30 }],
    ["always with confirm", { when: "always", confirm: 2 }, { pulseRun: 26 + 303, newAsins: 3 }],
  ])(
    "include at the next step only items that are certain to match the route (its 'when': %s)",
    (_name, route, credits) => {
      expect(estimatedCredits(twoSteps(route), items)).toMatchObject(credits);
    },
  );

  it("are rounded up after the sum of a step, not per item", () => {
    const one = { new: 0, active: 1, delisted: 0 };
    expect(estimatedCredits(twoSteps({ when: "always" }), one).pulseRun).toBe(1 + 3);
  });

  it("include a step once if two routes lead to it", () => {
    const lite = "retailer_a.lite";
    const pipeline: Pipeline = {
      entry: "a",
      baseline: null,
      refresh: null,
      steps: [
        {
          id: "a",
          scraper: lite,
          routes: [
            { when: "ok", run: "b" },
            { when: "always", run: "c" },
          ],
        },
        { id: "b", scraper: lite, routes: [{ when: "ok", run: "c" }] },
        { id: "c", scraper: lite, routes: [] },
      ],
    };
    expect(estimatedCredits(pipeline, items).pulseRun).toBe(3 * 101);
  });

  it("are 0 for a watchlist with only delisted items", () => {
    fc.assert(
      fc.property(anyPipeline(), (pipeline) => {
        expect(estimatedCredits(pipeline, { new: 0, active: 0, delisted: 7 })).toEqual({
          pulseRun: 0,
          refreshRun: 0,
          newAsins: 0,
        });
      }),
    );
  });
});

describe("the lowest and the highest estimate of a run's credits", () => {
  const start = { start: "a", items: 100 };

  it.each<[When, { readonly least: number; readonly most: number }]>([
    ["always", { least: 25 + 100, most: 25 + 300 }],
    ["changed", { least: 25, most: 25 + 300 }],
  ])(
    "include an offers step that a route with 'when' \"%s\" leads to, once at its lowest and once at its highest price",
    (when, { least, most }) => {
      const starts = new Map([[start.start, start.items]]);
      expect(boundsOf(twoSteps({ when }), { starts, limit: Infinity })).toEqual({
        best: least,
        worst: most,
      });
    },
  );
});

describe("the lowest and the highest estimate of a run's credits with a limit of credits per run", () => {
  const bounds = (route: Route, limit: number) =>
    boundsOf(twoSteps(route), { starts: new Map([["a", 40]]), limit });

  it("are 0 if the first step costs more than the limit", () => {
    expect(bounds({ when: "changed" }, 9)).toEqual({ best: 0, worst: 0 });
  });

  it("omit a second step if reading every item there costs more than the limit", () => {
    expect(bounds({ when: "always" }, 129)).toEqual({ best: 10, worst: 10 });
    expect(bounds({ when: "always" }, 130)).toEqual({ best: 50, worst: 130 });
  });

  it("let a step that only new and changed items reach use the rest of the limit", () => {
    const pipeline = twoSteps({ when: "changed" });
    const starts = new Map([
      ["a", 40],
      ["b", 10],
    ]);
    // At the step `b`, ten new items need 30 credits, and 40 changed items need 120 more.
    expect(boundsOf(pipeline, { starts, limit: 100 })).toEqual({ best: 20, worst: 100 });
    expect(boundsOf(pipeline, { starts, limit: 39 })).toEqual({ best: 10, worst: 10 });
    starts.set("b", 0);
    expect(boundsOf(pipeline, { starts, limit: 39 })).toEqual({ best: 10, worst: 39 });
  });

  it("let a step that only some items reach use the rest of the limit", () => {
    expect(bounds({ when: "changed" }, 100)).toEqual({ best: 10, worst: 100 });
    expect(bounds({ when: "changed" }, 200)).toEqual({ best: 10, worst: 130 });
  });
});
