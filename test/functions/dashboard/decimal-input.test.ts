import { describe, expect, it } from "vitest";
import { decimalIn } from "../../../functions/dashboard/browser/format/decimal-input.ts";

describe("a number that a user types", () => {
  it.each([
    ["5", 5],
    ["5%", 5],
    [" 5 % ", 5],
    ["5.5", 5.5],
    ["5,5", 5.5],
    ["5,", 5],
    ["0,25", 0.25],
    ["1000.5", 1000.5],
    ["", undefined],
  ])("is parsed as a percentage from the text %j", (text, value) => {
    expect(decimalIn(text, { unit: "percent" })).toEqual({ value });
  });

  it.each(["-5", "many", "5%%", "1e3", "2000000", "5 5"])(
    "is refused, with an example of a valid number in the error, if the text is %j",
    (text) => {
      const { error } = decimalIn(text, { unit: "percent" });
      expect(error).toContain(
        `Enter a number from 0 to 1,000,000, such as 5 or 2.5 (got “${text}”).`,
      );
    },
  );

  it("is refused if it has a thousands separator, which other users would read as a decimal comma", () => {
    for (const text of ["1,000", "1,000.50", "1,000,000"]) {
      expect(decimalIn(text, { unit: "amount" }).error).toMatch(/without thousands separators/);
    }
    expect(decimalIn("1.000", { unit: "amount" })).toEqual({ value: 1 });
  });

  it("is refused as an amount of money if it has a percent sign", () => {
    expect(decimalIn("5%", { unit: "amount" }).error).toMatch(/such as 10 or 2.50/);
  });
});
