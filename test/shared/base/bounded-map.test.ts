import { expect, it } from "vitest";
import { boundedMap } from "../../../shared/base/bounded-map.ts";

it("a full bounded map removes its oldest entry, and an entry that is set again counts as new", () => {
  const map = boundedMap<number>(2);
  map.set("a", 1);
  map.set("b", 2);
  map.set("a", 3);
  map.set("c", 4);
  expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([3, undefined, 4]);
});
