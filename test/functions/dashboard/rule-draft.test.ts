import { describe, expect, it } from "vitest";
import type { Pipeline, Scrapers } from "../../../functions/dashboard/browser/api/resources.ts";
import {
  fieldsFor,
  opsOf,
  routeField,
  routeWhen,
  rulesIn,
  whensOfKey,
  whenWords,
  withNewRoute,
  withNewStep,
  withNewTest,
  withoutRoute,
  withoutStep,
  withoutTest,
  withRoute,
  withStep,
  withTest,
} from "../../../functions/dashboard/browser/pages/watchlists/rule-draft.ts";
import { whensByKey } from "../../../shared/pipelines/check-route.ts";
import { whens } from "../../../shared/pipelines/definition.ts";
import { presentScrapers } from "../../../shared/pipelines/present-scrapers.ts";

const { scrapers }: Scrapers = presentScrapers({ platform: "retailer_d", marketplace: "us" });
const [scraper] = scrapers;

const pipeline: Pipeline = {
  entry: "scan",
  baseline: "check",
  refresh: { every_runs: 8, entry: "check" },
  steps: [
    {
      id: "scan",
      scraper: "retailer_a.pulse",
      routes: [{ when: "changed", run: "check", notify: true }],
    },
    { id: "check", scraper: "retailer_a.lite", routes: [{ when: "changed", notify: true }] },
  ],
};

describe("the dashboard's form for rules", () => {
  it("offers the values of 'when' that the API accepts, each with the keys that the API accepts for this value", () => {
    expect(Object.keys(whenWords).toSorted()).toEqual(whens.toSorted());
    expect(whensOfKey).toEqual(whensByKey);
  });

  it("shows the pipeline of a JSON text, with the default start steps if the JSON text has none", () => {
    const steps = [{ id: "only", scraper: "retailer_d.standard", routes: [] }];
    expect(rulesIn(JSON.stringify({ steps }))).toEqual({
      entry: "only",
      baseline: null,
      refresh: null,
      steps,
    });
    expect(rulesIn(JSON.stringify(pipeline))).toEqual(pipeline);
  });

  it.each([
    "{",
    "null",
    "[]",
    '{"steps": []}',
    '{"steps": [{"id": "a", "scraper": "b"}]}',
    '{"steps": [{"id": "a", "scraper": "b", "routes": [{}]}]}',
  ])("leaves the JSON text %j, which the form does not support, to the JSON editor", (text) => {
    expect(rulesIn(text)).toBeUndefined();
  });

  it("renames a step in the start steps and in the rules that lead to it", () => {
    const check = pipeline.steps[1];
    if (check === undefined) throw new Error("The pipeline has no step");
    const renamed = withStep(pipeline, 1, { ...check, id: "lite" });
    expect(renamed).toMatchObject({ entry: "scan", baseline: "lite", refresh: { entry: "lite" } });
    expect(renamed.steps[0]?.routes).toEqual([{ when: "changed", run: "lite", notify: true }]);
  });

  it("removes a step from the start steps and from the rules that led to it", () => {
    const left = withoutStep(pipeline, 1);
    expect(left).toMatchObject({ entry: "scan", baseline: null, refresh: null });
    expect(left.steps).toEqual([
      { id: "scan", scraper: "retailer_a.pulse", routes: [{ when: "changed", notify: true }] },
    ]);
    expect(withoutStep(pipeline, 0).entry).toBe("check");
  });

  it("gives each new step an ID that no other step has", () => {
    const once = withNewStep(pipeline, "retailer_a.full");
    const twice = withNewStep(once, "retailer_a.full");
    expect(twice.steps.map(({ id }) => id)).toEqual(["scan", "check", "step_1", "step_2"]);
  });

  it("adds, changes and removes rules", () => {
    const step = { id: "a", scraper: "b", routes: [] };
    const added = withNewRoute(step);
    expect(added.routes).toEqual([{ when: "changed", notify: true }]);
    expect(withRoute(added, 0, { when: "new", notify: true }).routes).toEqual([
      { when: "new", notify: true },
    ]);
    expect(withoutRoute(added, 0)).toEqual(step);
  });

  it("drops the keys of a rule that its new value of 'when' does not allow", () => {
    const route = {
      when: "changed",
      field: "price",
      op: "decreased",
      min_delta: 5,
      confirm: 2,
      cooldown: "6h",
      notify: true,
    };
    expect(routeWhen(route, "failed")).toEqual({
      when: "failed",
      confirm: 2,
      cooldown: "6h",
      notify: true,
    });
    expect(routeWhen(route, "ok")).toEqual({
      when: "ok",
      confirm: 2,
      cooldown: "6h",
      notify: true,
    });
    const below = { when: "ok", field: "price", op: "below", value: 9, notify: true };
    expect(routeWhen(below, "changed")).toEqual({ ...below, when: "changed" });
  });

  it("creates a test of a field with an operator and a value that suit the field's type", () => {
    expect(routeField({ when: "ok", notify: true }, "inStock", scraper)).toEqual({
      when: "ok",
      field: "inStock",
      op: "is",
      value: true,
      notify: true,
    });
    const drop = { when: "changed", field: "price", op: "decreased", min_delta: 5, notify: true };
    expect(routeField(drop, "inStock", scraper)).toEqual({
      when: "changed",
      field: "inStock",
      notify: true,
    });
    expect(routeField(drop, undefined, scraper)).toEqual({ when: "changed", notify: true });
  });

  it("offers only the fields and operators that the rule's 'when' can test", () => {
    const price = scraper?.fields.find(({ name }) => name === "price");
    expect(opsOf(price, "changed")).toContain("decreased");
    expect(opsOf(price, "ok")).not.toContain("decreased");
    expect(opsOf(undefined, "ok")).toEqual([]);
    expect(fieldsFor(scraper, "failed")).toEqual([]);
    expect(fieldsFor(scraper, "ok").map(({ name }) => name)).toContain("lowest30d");
  });

  it("adds, changes and removes further field tests of a rule", () => {
    const route = withNewTest({ when: "changed", notify: true }, scraper);
    expect(route.where).toHaveLength(1);
    const test = { field: "inStock", op: "is", value: true };
    expect(withTest(route, 0, test).where).toEqual([test]);
    expect(withoutTest(route, 0)).toEqual({ when: "changed", notify: true });
  });
});
