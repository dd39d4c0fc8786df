import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  nextOf,
  type Pipeline,
  readingKind,
  type Route,
  runOrder,
  type Step,
  stepOf,
  testsMetadata,
} from "../../../shared/pipelines/definition.ts";
import { anyPipeline } from "./any-pipeline.ts";

const lite = "retailer_a.lite";
const to = (...runs: readonly string[]): Pipeline["steps"][number]["routes"] =>
  runs.map((run) => ({ when: "always", run }));
const ids = (pipeline: Pipeline): readonly string[] => runOrder(pipeline).map(({ id }) => id);

describe("the order of a run's steps", () => {
  it("places a step after all steps that route to it, in whatever order they are defined", () => {
    const steps = [
      { id: "last", scraper: lite, routes: [] },
      { id: "middle", scraper: lite, routes: to("last") },
      { id: "first", scraper: lite, routes: to("last", "middle") },
    ] as const;
    expect(ids({ entry: "first", baseline: null, refresh: null, steps })).toEqual([
      "first",
      "middle",
      "last",
    ]);
  });

  it("is the entry step, the refresh entry, then the baseline step, unless a route requires another order", () => {
    const steps = ["d", "c", "b", "a"].map((id) => ({ id, scraper: lite, routes: [] }) as const);
    const pipeline = { entry: "a", baseline: "c", refresh: { everyRuns: 2, entry: "b" }, steps };
    expect(ids(pipeline)).toEqual(["a", "b", "c", "d"]);
  });

  it("places the entry step after the baseline step if the baseline step routes to it", () => {
    const steps = [
      { id: "entry", scraper: lite, routes: [] },
      { id: "baseline", scraper: lite, routes: to("entry") },
    ] as const;
    const pipeline = { entry: "entry", baseline: "baseline", refresh: null, steps };
    expect(ids(pipeline)).toEqual(["baseline", "entry"]);
  });

  it("has every step once, after all steps that route to it, for any pipeline", () => {
    fc.assert(
      fc.property(anyPipeline(), (pipeline) => {
        const order = ids(pipeline);
        expect(order.toSorted()).toEqual(pipeline.steps.map(({ id }) => id).toSorted());
        for (const step of pipeline.steps) {
          for (const next of nextOf(step)) {
            expect(order.indexOf(next)).toBeGreaterThan(order.indexOf(step.id));
          }
        }
      }),
    );
  });

  it("throws an error for a pipeline with a loop", () => {
    const steps = [{ id: "a", scraper: lite, routes: to("a") }] as const;
    expect(() => ids({ entry: "a", baseline: null, refresh: null, steps })).toThrow(
      "must not form a loop",
    );
  });
});

describe("a step of a pipeline", () => {
  const step = { id: "a", scraper: "retailer_a.offers", routes: [] } as const;

  it("is found by its ID", () => {
    const pipeline = { entry: "a", baseline: null, refresh: null, steps: [step] };
    expect(stepOf(pipeline, "a")).toBe(step);
    expect(() => stepOf(pipeline, "b")).toThrow("must have a step 'b'");
  });

  it.each([
    [undefined, "offers"],
    ["all", "offers"],
    ["new", "offers_new"],
    ["used", "offers_used"],
  ] as const)(
    "with the condition filter %j stores its offers as a reading of the kind %j",
    (condition, kind) => {
      expect(readingKind({ ...step, ...(condition && { condition }) })).toBe(kind);
    },
  );

  it("stores the same kind of reading at the tiers lite and full, and another kind at the tier pulse", () => {
    const kindOf = (scraper: "retailer_a.lite" | "retailer_a.full" | "retailer_a.pulse"): string =>
      readingKind({ id: "a", scraper, routes: [] });
    expect(kindOf("retailer_a.lite")).toBe(kindOf("retailer_a.full"));
    expect(kindOf("retailer_a.pulse")).not.toBe(kindOf("retailer_a.lite"));
  });
});

describe("testsMetadata, which examines the routes of a pipeline,", () => {
  const target = { metadata: "target" };
  const stepWith = (route: Omit<Route, "when" | "notify">): Step => ({
    id: "check",
    scraper: lite,
    routes: [
      { when: "new", notify: true },
      { when: "ok", notify: true, ...route },
    ],
  });

  it("returns true if a route, or a test in its 'where', compares a field with metadata", () => {
    const inWhere = [
      { field: "inStock", op: "is", value: true },
      { field: "price", op: "below", value: target },
    ] as const;
    expect(testsMetadata(stepWith({ field: "price", op: "below", value: target }))).toBe(true);
    expect(testsMetadata(stepWith({ where: inWhere }))).toBe(true);
    expect(testsMetadata(stepWith({ where: inWhere.slice(0, 1) }))).toBe(false);
    expect(testsMetadata(stepWith({ field: "price", op: "below", value: 10 }))).toBe(false);
  });
});
