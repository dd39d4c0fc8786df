import { describe, expect, it } from "vitest";
import type { FieldTest, Route } from "../../../shared/pipelines/definition.ts";
import { type Verdict, verdictOf } from "../../../shared/pipelines/field-tests.ts";
import type { FieldValue } from "../../../shared/scrapers/catalog.ts";

describe("the result of a route's test that compares two fields", () => {
  const other = { field: "regularPrice" };

  it.each<{
    readonly price: FieldValue;
    readonly op: FieldTest["op"];
    readonly regularPrice: FieldValue;
    readonly verdict: Verdict;
  }>([
    { price: 9.99, op: "below", regularPrice: 10, verdict: "met" },
    { price: 10, op: "below", regularPrice: 10, verdict: "unmet" },
    { price: 10.01, op: "above", regularPrice: 10, verdict: "met" },
    { price: 10, op: "above", regularPrice: 10, verdict: "unmet" },
    { price: null, op: "below", regularPrice: 10, verdict: "unmet" },
    { price: null, op: "above", regularPrice: -10, verdict: "unmet" },
    { price: -10, op: "below", regularPrice: null, verdict: "unmet" },
    { price: 10, op: "above", regularPrice: null, verdict: "unmet" },
  ])(
    'is "$verdict" for the price $price, the op "$op" and the other field\'s value $regularPrice',
    ({ price, op, regularPrice, verdict }) => {
      const route: Route = { when: "ok", field: "price", op, value: other, notify: true };
      const values = { price, regularPrice };
      expect(verdictOf(route, { values })).toBe(verdict);
      const isGap = price === null || regularPrice === null;
      expect(verdictOf({ ...route, once: true }, { values })).toBe(isGap ? "unknown" : verdict);
    },
  );

  it("is \"unmet\" for a null price in a route with 'once' if another test of the route fails", () => {
    const route: Route = {
      when: "ok",
      field: "price",
      op: "below",
      value: 95,
      where: [{ field: "inStock", op: "is", value: true }],
      once: true,
      notify: true,
    };
    expect(verdictOf(route, { values: { price: null, inStock: false } })).toBe("unmet");
    expect(verdictOf(route, { values: { price: null, inStock: true } })).toBe("unknown");
  });

  it('is "unknown" if the read lacks one of the two compared fields', () => {
    const route: Route = { when: "ok", field: "price", op: "below", value: other, notify: true };
    expect(verdictOf(route, { values: { price: 9 } })).toBe("unknown");
    expect(verdictOf(route, { values: { regularPrice: 9 } })).toBe("unknown");
  });
});
