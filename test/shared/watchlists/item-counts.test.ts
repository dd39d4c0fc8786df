import { describe, expect, it } from "vitest";
import {
  addCounts,
  countByState,
  haveSameCounts,
  noItems,
  subtractCounts,
  sumCounts,
  totalOf,
} from "../../../shared/watchlists/item-counts.ts";

const one = { new: 1, active: 20, delisted: 300 };
const other = { new: 2, active: 10, delisted: 500 };

describe("the item counts of a watchlist", () => {
  it("count the items in each state", () => {
    const states = ["new", "delisted", "new", "active", "new", "delisted"] as const;
    expect(countByState(states.map((state) => ({ state })))).toEqual({
      new: 3,
      active: 1,
      delisted: 2,
    });
    expect(countByState([])).toEqual(noItems);
  });

  it("have a total that is the sum of all states", () => {
    expect(totalOf(one)).toBe(321);
  });

  it("are added and subtracted state by state", () => {
    expect(addCounts(one, other)).toEqual({ new: 3, active: 30, delisted: 800 });
    expect(subtractCounts(one, other)).toEqual({ new: -1, active: 10, delisted: -200 });
    expect(sumCounts([{ counts: one }, { counts: other }, { counts: one }])).toEqual({
      new: 4,
      active: 50,
      delisted: 1_100,
    });
    expect(sumCounts([])).toEqual(noItems);
  });

  it.each(["new", "active", "delisted"] as const)(
    "differ if their numbers of %s items differ",
    (state) => {
      expect(haveSameCounts(one, { ...one })).toBe(true);
      expect(haveSameCounts(one, { ...one, [state]: 7 })).toBe(false);
    },
  );
});
