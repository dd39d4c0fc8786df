import { expect, it } from "vitest";
import { chunksOf } from "../../../shared/base/chunks-of.ts";

it("chunksOf cuts a list into parts in order, of which only the last is smaller", () => {
  expect(chunksOf([1, 2, 3, 4, 5], 2)).toEqual([[1, 2], [3, 4], [5]]);
  expect(chunksOf([1, 2, 3, 4], 2)).toEqual([
    [1, 2],
    [3, 4],
  ]);
  expect(chunksOf([], 2)).toEqual([]);
});
