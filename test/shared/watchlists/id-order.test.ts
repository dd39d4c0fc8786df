import { describe, expect, it } from "vitest";
import { afterEveryId, compareIds } from "../../../shared/watchlists/id-order.ts";

describe("the order of two item IDs", () => {
  it.each([
    ["1", "2", -1],
    ["2", "1", 1],
    ["1", "1", 0],
  ])("of the IDs %s and %s is the result %i", (a, b, order) => {
    expect(compareIds(a, b)).toBe(order);
  });
});

describe("the text after every ID", () => {
  it.each(["", "9", "Z", "ZZZZZZZZZZ", "999999999999999"])("sorts after the ID %j", (id) => {
    expect(compareIds(id, afterEveryId)).toBe(-1);
  });
});
