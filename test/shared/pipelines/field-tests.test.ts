import { describe, expect, it } from "vitest";
import type { FieldTest } from "../../../shared/pipelines/definition.ts";
import { type Verdict, verdictOf } from "../../../shared/pipelines/field-tests.ts";
import type { FieldValue } from "../../../shared/scrapers/catalogue.ts";

describe("a route's test that orders numbers", () => {
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
    "of the price $price with $op and the other field $regularPrice is $verdict",
    ({ price, op, regularPrice, verdict }) => {
      const test = { field: "price", op, value: other };
      expect(verdictOf([test], { values: { price, regularPrice } })).toBe(verdict);
    },
  );

  it("is unknown if the read lacks the tested field or the field to compare with", () => {
    const test = { field: "price", op: "below", value: other } as const;
    expect(verdictOf([test], { values: { price: 9 } })).toBe("unknown");
    expect(verdictOf([test], { values: { regularPrice: 9 } })).toBe("unknown");
  });
});
