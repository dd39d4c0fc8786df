import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedFields } from "../../../shared/pipelines/compare.ts";

const fields = ["price", "inStock", "state", "regularPrice"];

describe("the changed fields between two reads", () => {
  it("are only those that changed, with before and after", () => {
    const before = { price: 10, inStock: true, state: "ADD_TO_CART" };
    const after = { price: 9.5, inStock: true, state: "SOLD_OUT" };
    expect(changedFields(before, after, fields)).toEqual({
      price: { before: 10, after: 9.5 },
      state: { before: "ADD_TO_CART", after: "SOLD_OUT" },
    });
  });

  it.each([
    { name: "within half a cent", before: 10, after: 10.004, moved: false },
    { name: "exactly half a cent", before: 10, after: 10.005, moved: false },
    {
      name: "exactly half a cent, where binary fractions round up",
      before: 0.1,
      after: 0.105,
      moved: false,
    },
    { name: "a cent", before: 10, after: 10.01, moved: true },
    { name: "to nothing", before: 10, after: null, moved: true },
    { name: "from nothing", before: null, after: 10, moved: true },
  ])("include a price that changes $name: $moved", ({ before, after, moved }) => {
    const found = changedFields({ price: before }, { price: after }, fields);
    expect(Object.keys(found)).toEqual(moved ? ["price"] : []);
  });

  it.each([
    "listPrice",
    "regularPrice",
    "newMinPrice",
    "usedMinPrice",
    "buyboxPrice",
    "lowestPrice",
  ])("compare %s like a price", (field) => {
    expect(changedFields({ [field]: 10 }, { [field]: 10.005 }, [field])).toEqual({});
    expect(changedFields({ [field]: 10 }, { [field]: 10.01 }, [field])).toHaveProperty(field);
  });

  it("include a number other than a price, however small the difference", () => {
    expect(changedFields({ rating: 4.5 }, { rating: 4.501 }, ["rating"])).toHaveProperty("rating");
  });

  it("do not include a field that is absent in one of the reads", () => {
    expect(changedFields({ price: 10 }, {}, fields)).toEqual({});
    expect(changedFields({}, { price: 10 }, fields)).toEqual({});
  });

  it("do not include untracked fields", () => {
    expect(changedFields({ title: "a" }, { title: "b" }, fields)).toEqual({});
  });

  it("are none between a snapshot and itself", () => {
    const value = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.string(),
      fc.boolean(),
      fc.constant(null),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...fields), value), (snapshot) => {
        expect(changedFields(snapshot, snapshot, fields)).toEqual({});
      }),
    );
  });
});
