import { expect, it } from "vitest";
import { chunksOf } from "../../../shared/base/chunks-of.ts";

it("chunksOf splits a list into parts in order, and only the last part can be smaller", () => {
  expect(chunksOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(chunksOf([1, 2, 3, 4], 2)).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(chunksOf([], 2)).toEqual([]);
});
