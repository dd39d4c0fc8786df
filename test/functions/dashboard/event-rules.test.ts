import { describe, expect, it } from "vitest";
import type { Pipeline } from "../../../functions/dashboard/browser/api/resources.ts";
import type { EventEntry } from "../../../functions/dashboard/browser/pages/webhooks/event-body.ts";
import { rulesBehind } from "../../../functions/dashboard/browser/pages/webhooks/event-rules.ts";

type Route = Pipeline["steps"][number]["routes"][number];

const changed = "watchlist.product.changed";
const matched = "watchlist.product.matched";
const entry: EventEntry = { id: "9000001", step: "check", values: { price: 90, inStock: true } };
const drop: EventEntry = { ...entry, changes: { price: { before: 100, after: 90 } } };

/** Returns the routes that can have caused an entry, out of the routes of a pipeline. */
const behind = (one: EventEntry, type: string, routes: readonly Route[]): readonly Route[] => {
  const steps = [{ id: "check", scraper: "retailer_d.standard", routes: [...routes] }];
  const pipeline = { entry: "check", baseline: null, refresh: null, steps };
  return rulesBehind(one, type, pipeline).map(({ route }) => route);
};
const isBehind = (one: EventEntry, type: string, route: Route): boolean =>
  behind(one, type, [route]).length === 1;

describe("the rules behind an event in the dashboard", () => {
  it("are the routes with 'notify' in the step that the event names", () => {
    const route = { when: "changed", notify: true };
    expect(behind(drop, changed, [route, { when: "changed", run: "check" }])).toEqual([route]);
    expect(behind({ ...drop, step: "other" }, changed, [route])).toEqual([]);
  });

  it.each<[boolean, Partial<Route>]>([
    [true, { field: "price" }],
    [false, { field: "inStock" }],
    [true, { field: "price", op: "decreased" }],
    [false, { field: "price", op: "increased" }],
    [true, { field: "price", min_delta: 10 }],
    [false, { field: "price", min_delta: 11 }],
    [true, { field: "price", min_delta_percent: 10 }],
    [false, { field: "price", min_delta_percent: 10.1 }],
    [true, { field: "price", op: "below", value: 95 }],
    [false, { field: "price", op: "below", value: 90 }],
  ])(
    "include exactly the routes that match a change of the price from 100 to 90 (included: %s, route: %j)",
    (possible, part) => {
      expect(isBehind(drop, changed, { when: "changed", notify: true, ...part })).toBe(possible);
    },
  );

  it("do not include a route for a decrease if the value of the field increased or became unknown", () => {
    const gone = { ...entry, changes: { price: { before: 100, after: null } } };
    const route = { when: "changed", field: "price", notify: true };
    expect(isBehind(gone, changed, route)).toBe(true);
    expect(isBehind(gone, changed, { ...route, op: "decreased" })).toBe(false);
    const rise = { ...entry, changes: { price: { before: 80, after: 90 } } };
    expect(isBehind(rise, changed, { ...route, op: "decreased" })).toBe(false);
    expect(isBehind(rise, changed, { ...route, op: "increased" })).toBe(true);
  });

  it.each<[boolean, NonNullable<Route["where"]>[number]]>([
    [true, { field: "inStock", op: "is", value: true }],
    [false, { field: "inStock", op: "is_not", value: true }],
    [true, { field: "price", op: "is", value: 90.004 }],
    [false, { field: "price", op: "above", value: { metadata: "target" } }],
    [true, { field: "price", op: "below", value: { metadata: "target" } }],
    [true, { field: "price", op: "below", value: { field: "lowest30d" } }],
    [true, { field: "price", op: "a later operator", value: 1 }],
  ])(
    "include exactly the routes whose test the known values can pass (included: %s, test: %j)",
    (possible, test) => {
      const one = { ...entry, branch: "ok", metadata: { target: 95 } };
      expect(isBehind(one, matched, { when: "ok", where: [test], notify: true })).toBe(possible);
    },
  );

  it("are the routes whose cause equals the cause in the event", () => {
    const route = { when: "ok", notify: true };
    expect(isBehind({ ...entry, branch: "ok" }, matched, route)).toBe(true);
    expect(isBehind({ ...entry, branch: "new" }, matched, route)).toBe(false);
  });
});
