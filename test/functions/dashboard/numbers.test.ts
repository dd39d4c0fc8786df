import { describe, expect, it } from "vitest";
import {
  formatMoney,
  formatNumber,
  formatPercentChange,
  formatShare,
} from "../../../functions/dashboard/browser/format/numbers.ts";

describe("numbers in the dashboard", () => {
  it.each([
    [2175.2, "USD", "2,175.20 USD"],
    [0, "EUR", "0.00 EUR"],
    [2175, "JPY", "2,175 JPY"],
  ])(
    "show the amount %d of the currency %s with the decimals of this currency",
    (value, currency, text) => {
      expect(formatMoney(value, currency)).toBe(text);
    },
  );

  it("have separators of thousands", () => {
    expect(formatNumber(2175.2)).toBe("2,175.2");
  });

  it("show a proportion to the nearest tenth of a percent, and show 100 % only for a proportion of exactly 1", () => {
    expect([14_000 / 35_090, 0.9999, 1].map(formatShare)).toEqual(["39.9%", "99.9%", "100%"]);
  });

  it("show a change below a tenth of a percent with one digit, and only 0 as 0 %", () => {
    expect([-0.0163, 0.004, -0.12, 0].map(formatPercentChange)).toEqual([
      "−0.02%",
      "+0.004%",
      "−0.1%",
      "0%",
    ]);
  });
});
