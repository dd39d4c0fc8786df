import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseItemIds } from "../../../shared/platforms/item-id.ts";

describe("the item IDs of a request", () => {
  it("are returned trimmed and without repetitions, in the order of the request, without empty strings", () => {
    expect(
      parseItemIds("retailer_d", [" 6505678 ", "", "6501234", "  ", "6505678"], "ids"),
    ).toEqual(["6505678", "6501234"]);
  });

  it.each(["1234", "12345678901", "12a45", "12 345", "-12345", "1234.5", "١٢٣٤٥", "12345\n6"])(
    "are refused on retailer_d in the form %j",
    (id) => {
      expect(() => parseItemIds("retailer_d", [id], "ids")).toThrow(/5 to 10 digits/);
    },
  );

  it.each(["12345", "1234567890", "00000"])("are accepted on retailer_d in the form %s", (id) => {
    expect(parseItemIds("retailer_d", [id], "ids")).toEqual([id]);
  });

  it.each(["B0SANDBOß", "B0ſANDBOX0", "B0SANDBOX\u0131", "Ｂ0SANDBOX0"])(
    "are refused on retailer_a in the form %j, even if conversion to upper case would produce an ASIN",
    (id) => {
      expect(() => parseItemIds("retailer_a", [id], "ids")).toThrow(/10 letters or digits/);
    },
  );

  it("are refused with an error that contains the name of the parameter and the index of the ID", () => {
    const refuse = (): unknown => parseItemIds("retailer_d", ["", "6501234", "", "x"], "add");
    expect(refuse).toThrow(
      expect.objectContaining({ code: "INVALID_PARAM", details: { param: "add[3]" } }),
    );
  });

  it("are shortened in error messages if the IDs are long", () => {
    expect(() => parseItemIds("retailer_d", ["9".repeat(100_000)], "ids")).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{0,120}$/) }),
    );
  });

  it.each([
    ["retailer_a", " b0abcdefg1 ", "B0ABCDEFG1"],
    ["retailer_b", "123456789012345", "123456789012345"],
    ["retailer_c", "A-12345678", "12345678"],
    ["retailer_c", "12345678", "12345678"],
  ] as const)("are normalized for the platform %s: the ID %j becomes %s", (platform, raw, id) => {
    expect(parseItemIds(platform, [raw], "ids")).toEqual([id]);
  });

  it('are refused on retailer_c if an ID is only the prefix "A-"', () => {
    expect(() => parseItemIds("retailer_c", ["A-"], "ids")).toThrow(/6 to 10 digits/);
  });

  it("are returned in the order of their first occurrences in the request", () => {
    const id = fc.integer({ min: 10_000, max: 10_020 }).map(String);
    const padded = fc.tuple(fc.constantFrom("", " ", "\t"), id).map(([pad, raw]) => pad + raw);
    fc.assert(
      fc.property(fc.array(fc.oneof(padded, fc.constant(""))), (raw) => {
        const parsed = parseItemIds("retailer_d", raw, "ids");
        const trimmed = raw.map((one) => one.trim()).filter((one) => one !== "");
        expect(parsed).toEqual(trimmed.filter((one, n) => trimmed.indexOf(one) === n));
      }),
    );
  });
});
