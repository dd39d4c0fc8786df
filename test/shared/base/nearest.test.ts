import { describe, expect, it } from "vitest";
import { didYouMean, nearest } from "../../../shared/base/nearest.ts";

describe("the suggestion in an error message", () => {
  it.each([
    ["day", ["days", "api_key"], "days"],
    ["LIMIT", ["limit", "state"], "limit"],
    ["changedSince", ["changed_since", "state"], "changed_since"],
    ["pules", ["pulse", "lite", "full"], "pulse"],
    ["usa", ["us", "uk", "de"], "us"],
    ["retailer-a", ["retailer_a", "retailer_b"], "retailer_a"],
  ])(
    "for the invalid value '%s' and the valid values %j is the value '%s'",
    (value, valid, expected) => {
      expect(nearest(value, valid)).toBe(expected);
      expect(didYouMean(value, valid)).toBe(` Did you mean '${expected}'?`);
    },
  );

  it.each([
    ["is not similar to a valid value", "page_size", ["days", "api_key"]],
    ["is equally similar to several valid values", "retailer_x", ["retailer_a", "retailer_b"]],
    ["has thousands of characters", "days".repeat(1_000), ["days".repeat(1_000)]],
    ["has no valid alternatives", "days", []],
  ])(
    "is missing if the invalid value has no clear nearest valid value (the invalid value %s)",
    (_, value, valid) => {
      expect(nearest(value, valid)).toBeUndefined();
      expect(didYouMean(value, valid)).toBe("");
    },
  );
});
