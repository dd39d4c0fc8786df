import { describe, expect, it } from "vitest";
import { percentChange } from "../../../shared/base/percent.ts";

describe("the percentage of a change", () => {
  it.each([
    [100, 95, -5],
    [50, 60, 20],
    [-10, -5, 50],
    [0, 5, null],
    [4, 4, 0],
  ])("from the value %d to the value %d is %s", (before, after, percent) => {
    expect(percentChange(before, after)).toBe(percent);
  });
});
