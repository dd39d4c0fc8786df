import { describe, expect, it } from "vitest";
import { isFieldOfKind, kindOf } from "../../../shared/history/change-kinds.ts";
import { fieldTypes } from "../../../shared/scrapers/fields.ts";

describe("the kind of an item's change", () => {
  it.each([
    ["price", 10, 9, -1, "price_drop"],
    ["buyboxPrice", 9, 10, 1, "price_rise"],
    ["price", null, 60, -40, "price_drop"],
    ["price", null, 60, 0, "other"],
    ["price", null, 60, null, "other"],
    ["price", 60, null, null, "other"],
    ["listPrice", 10, 9, -1, "other"],
    ["newCount", 3, 2, -1, "other"],
    ["inStock", true, false, null, "sold_out"],
    ["inStock", false, true, null, "back_in_stock"],
    ["inStock", null, true, null, "other"],
    ["clearance", false, true, null, "other"],
    ["merchant", "S1", "S2", null, "new_seller"],
    ["seller", "S1", null, null, "other"],
    ["seller", null, "S1", null, "other"],
    ["delisted", false, true, null, "delisted"],
  ] as const)(
    "of the field '%s' from %j to %j with the difference %j is the kind \"%s\"",
    (...[field, before, after, delta, kind]) => {
      expect(kindOf({ field, before, after, delta })).toBe(kind);
    },
  );

  it("is always one of the kinds that the field allows", () => {
    const values = [null, 1, 2, "a", "b", true, false];
    for (const field of [...Object.keys(fieldTypes), "delisted"]) {
      for (const before of values) {
        for (const after of values) {
          const isNumeric = typeof before === "number" && typeof after === "number";
          const kind = kindOf({ field, before, after, delta: isNumeric ? after - before : null });
          expect([field, kind, isFieldOfKind(field, kind)]).toEqual([field, kind, true]);
        }
      }
    }
  });

  it("is found for a delisting by the field name 'delisted', which no field of a scraper has", () => {
    expect(Object.keys(fieldTypes)).not.toContain("delisted");
  });
});
