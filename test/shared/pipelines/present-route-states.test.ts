import { describe, expect, it } from "vitest";
import type { Pipeline, Route } from "../../../shared/pipelines/definition.ts";
import { presentRouteStates } from "../../../shared/pipelines/present-route-states.ts";
import { type RouteState, statefulParts } from "../../../shared/pipelines/route-state.ts";

const notify = true as const;
const routes: readonly Route[] = [
  { when: "changed", notify },
  { when: "ok", field: "price", op: "below", value: 10, confirm: 3, notify },
  { when: "ok", field: "inStock", op: "is", value: true, once: true, notify },
  { when: "changed", field: "price", cooldown: "6h", run: "again", notify },
  { when: "ok", field: "price", op: "above", value: 90, confirm: 2, run: "again" },
];
const pipeline: Pipeline = {
  entry: "check",
  baseline: null,
  refresh: null,
  steps: [
    { id: "check", scraper: "retailer_d.standard", routes },
    { id: "again", scraper: "retailer_d.standard", routes: [] },
  ],
};

/** Gives a state to each stateful part of the route at a position. */
const statesAt = (position: number, state: RouteState) =>
  Object.fromEntries(
    statefulParts(pipeline)
      .filter((part) => part.position === position)
      .map(({ key }) => [key, state]),
  );
const nothing = { reads_met: 0, reported: false, cooldown_until: null };

describe("the route states of an item in API responses", () => {
  it("show how many reads met the condition of a route with 'confirm'", () => {
    expect(presentRouteStates(pipeline, statesAt(1, { held: 2 }))).toEqual([
      { ...nothing, step: "check", route: 1, reads_met: 2 },
    ]);
  });

  it("show whether a route with 'once' has reported the item", () => {
    expect(presentRouteStates(pipeline, statesAt(2, { matched: true }))).toEqual([
      { ...nothing, step: "check", route: 2, reported: true },
    ]);
  });

  it("show a route's cooldown once, even if the route also runs a step", () => {
    const until = "2026-03-01T06:00:00.000Z";
    expect(presentRouteStates(pipeline, statesAt(3, { until }))).toEqual([
      { ...nothing, step: "check", route: 3, cooldown_until: until },
    ]);
  });

  it("omit routes that do not notify, routes in their initial state, and states of another pipeline", () => {
    expect(presentRouteStates(pipeline, statesAt(4, { held: 1 }))).toEqual([]);
    expect(presentRouteStates(pipeline, statesAt(3, { from: { price: 3 } }))).toEqual([]);
    expect(presentRouteStates(pipeline, { otherKey: { held: 2 } })).toEqual([]);
    expect(presentRouteStates(pipeline)).toEqual([]);
  });
});
