import { describe, expect, it } from "vitest";
import { formatMoney, formatNumber } from "../../../functions/dashboard/browser/format/numbers.ts";

describe("numbers in the dashboard", () => {
  it.each([
    [2175.2, "USD", "2,175.20 USD"],
    [0, "EUR", "0.00 EUR"],
    [2175, "JPY", "2,175 JPY"],
  ])("show the amount %d of %s with the decimals of its currency", (value, currency, text) => {
    expect(formatMoney(value, currency)).toBe(text);
  });

  it("have separators of thousands", () => {
    expect(formatNumber(2175.2)).toBe("2,175.2");
  });
});
