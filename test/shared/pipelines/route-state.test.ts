import { describe, expect, it } from "vitest";
import type { Pipeline, Route, Step } from "../../../shared/pipelines/definition.ts";
import { isGated, partsOf, statefulParts } from "../../../shared/pipelines/route-state.ts";

const stepWith = (...routes: readonly Route[]): Step => ({
  id: "lite",
  scraper: "retailer_a.lite",
  routes,
});
const drop: Route = { when: "changed", field: "price", op: "decreased", notify: true };
const low: Route = {
  when: "ok",
  field: "price",
  op: "below",
  value: 50,
  where: [{ field: "rating", op: "above", value: 4 }],
  confirm: 2,
  notify: true,
};
const keyOf = (route: Route, step: Partial<Step> = {}): string | null | undefined =>
  partsOf({ ...stepWith(route), ...step })[0]?.key;

describe("a route of a pipeline", () => {
  it.each<Partial<Route>>([
    { min_delta: 1 },
    { min_delta_percent: 1 },
    { confirm: 2 },
    { cooldown: "1h" },
    { once: true },
  ])("counts as a route with limits if it has the limit %j", (limit) => {
    expect(isGated({ when: "ok", notify: true, ...limit })).toBe(true);
  });

  it("counts as a route without limits if it has no limit, or only the limit 'once' with the value false", () => {
    expect(isGated({ ...drop, run: "next" })).toBe(false);
    expect(isGated({ when: "ok", notify: true, once: false })).toBe(false);
  });
});

describe("the parts into which the routes of a step are split", () => {
  const both: Route = { ...drop, cooldown: "1h", run: "next" };

  it("are one part without 'cooldown' and one part without 'run' if the route has 'cooldown', 'run' and 'notify'", () => {
    const { cooldown: _, notify: __, ...routing } = both;
    const { run: ___, ...notifying } = both;
    expect(partsOf(stepWith(both)).map(({ route }) => route)).toEqual([routing, notifying]);
  });

  it.each(["cooldown", "run", "notify"] as const)(
    "are only the route itself if the route has no '%s'",
    (key) => {
      const { [key]: _, ...route } = both;
      expect(partsOf(stepWith(route)).map((part) => part.route)).toEqual([route]);
    },
  );

  it("are computed once per step of a pipeline", () => {
    const step = stepWith(drop);
    const pipeline = { entry: "lite", baseline: null, refresh: null, steps: [step] };
    expect(partsOf(step)).toBe(partsOf(step));
    expect(statefulParts(pipeline)).toBe(statefulParts(pipeline));
  });

  it('have a state only if the route has limits, or the op "increased" or "decreased"', () => {
    const steps = [
      stepWith({ when: "changed", notify: true }, drop),
      { ...stepWith(low), id: "b" },
    ];
    const pipeline: Pipeline = { entry: "lite", baseline: null, refresh: null, steps };
    expect(statefulParts(pipeline)).toEqual([
      { step: steps[0], route: drop, position: 1, key: keyOf(drop) },
      { step: steps[1], route: low, position: 0, key: keyOf(low, { id: "b" }) },
    ]);
  });
});

describe("the key of a route state", () => {
  it('is null for a route without limits and without the op "increased" or "decreased"', () => {
    expect(keyOf({ when: "changed", field: "price", notify: true })).toBeNull();
  });

  it.each([
    { what: 'the op "decreased"', route: drop, key: "PHZ7tRmp" },
    { what: "a test with limits", route: { ...low, once: true }, key: "0jxZy8ix" },
  ])("for a route with $what is the same as in earlier releases", ({ route, key }) => {
    expect(keyOf(route)).toBe(key);
  });

  it.each<Partial<Route>>([
    { when: "always" },
    { field: "listPrice" },
    { op: "above" },
    { value: 51 },
    { where: [{ field: "newCount", op: "above", value: 4 }] },
    { where: [{ field: "rating", op: "below", value: 4 }] },
    { where: [{ field: "rating", op: "above", value: 5 }] },
    { min_delta: 1 },
    { min_delta_percent: 1 },
    { confirm: 3 },
    { once: true },
    { cooldown: "1h" },
    { notify: false },
  ])("changes with each condition of the route (changed keys: %j)", (change) => {
    expect(keyOf({ ...low, ...change })).not.toBe(keyOf(low));
  });

  it.each<Partial<Step>>([{ id: "other" }, { scraper: "retailer_a.full" }, { condition: "new" }])(
    "changes with the step of the route (changed keys of the step: %j)",
    (change) => {
      expect(keyOf(low, change)).not.toBe(keyOf(low));
    },
  );

  it('depends on the condition filter of the step, and is the same with the filter "all" as without a filter', () => {
    expect(keyOf(low, { condition: "new" })).not.toBe(keyOf(low, { condition: "used" }));
    expect(keyOf(low, { condition: "all" })).toBe(keyOf(low));
  });

  it.each<Partial<Route>>([{ run: "next" }, { once: false }])(
    "does not depend on the keys %j",
    (change) => {
      expect(keyOf({ ...low, ...change })).toBe(keyOf(low));
    },
  );

  it("does not depend on the position of the route", () => {
    expect(partsOf(stepWith(drop, low))[1]?.key).toBe(keyOf(low));
  });
});
