import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { changedFields } from "../../../shared/pipelines/compare.ts";

const fields = ["price", "inStock", "state", "regularPrice"];

describe("the changed fields between two reads", () => {
  it("are returned with their old and new values, without unchanged fields", () => {
    const before = { price: 10, inStock: true, state: "ADD_TO_CART" };
    const after = { price: 9.5, inStock: true, state: "SOLD_OUT" };
    expect(changedFields(before, after, fields)).toEqual({
      price: { before: 10, after: 9.5 },
      state: { before: "ADD_TO_CART", after: "SOLD_OUT" },
    });
  });

  it.each([
    { change: "by less than half a cent", before: 10, after: 10.004 },
    { change: "by exactly half a cent", before: 10, after: 10.005 },
    {
      change: "by exactly half a cent, which binary fractions make slightly more",
      before: 0.1,
      after: 0.105,
    },
    {
      change: "by half a cent and the tolerance for binary fractions",
      before: 0,
      after: 0.005 + 1e-9,
    },
  ])(
    "do not include a price whose change is too small (it changes $change)",
    ({ before, after }) => {
      expect(changedFields({ price: before }, { price: after }, fields)).toEqual({});
    },
  );

  it.each([
    { change: "by a cent", before: 10, after: 10.01 },
    { change: "to null", before: 10, after: null },
    { change: "from null", before: null, after: 10 },
    { change: "from 0 to null", before: 0, after: null },
    { change: "from null to 0", before: null, after: 0 },
  ])(
    "include a price whose change is large enough, or to or from null (it changes $change)",
    ({ before, after }) => {
      expect(changedFields({ price: before }, { price: after }, fields)).toEqual({
        price: { before, after },
      });
    },
  );

  it.each([
    "listPrice",
    "regularPrice",
    "newMinPrice",
    "usedMinPrice",
    "buyboxPrice",
    "lowestPrice",
  ])(
    "include the field '%s' only if the value of the field changes by more than half a cent",
    (field) => {
      expect(changedFields({ [field]: 10 }, { [field]: 10.005 }, [field])).toEqual({});
      expect(changedFields({ [field]: 10 }, { [field]: 10.01 }, [field])).toHaveProperty(field);
    },
  );

  it("include a number that is not a price, even after the smallest change", () => {
    expect(changedFields({ rating: 4.5 }, { rating: 4.501 }, ["rating"])).toHaveProperty("rating");
  });

  it("omit a field that only one of the reads has", () => {
    expect(changedFields({ price: 10 }, {}, fields)).toEqual({});
    expect(changedFields({}, { price: 10 }, fields)).toEqual({});
  });

  it("include only the requested fields", () => {
    expect(changedFields({ title: "a" }, { title: "b" }, fields)).toEqual({});
  });

  it("are none if a snapshot is compared with itself", () => {
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
