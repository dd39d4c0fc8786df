import { describe, expect, it } from "vitest";
import type { HistoryPoint } from "../../../functions/dashboard/browser/api/resources.ts";
import {
  priceFieldIn,
  secondsOf,
  seriesOf,
} from "../../../functions/dashboard/browser/pages/watchlists/item-series.ts";

const timeOf = (day: number): string => `2026-11-0${day}T00:00:00.000Z`;
const at = (day: number): number => secondsOf(timeOf(day));

const point = (
  day: number,
  values: HistoryPoint["values"],
  status: HistoryPoint["status"] = "ok",
): HistoryPoint => ({
  id: `${day}.check`,
  object: "history_point",
  at: timeOf(day),
  run_number: day,
  step: "check",
  status,
  values,
});

const points = [
  point(1, { price: 10, inStock: true }),
  point(2, { price: 12 }),
  point(3, { inStock: false }),
  point(4, { price: null }),
  point(5, { price: 9, inStock: true }),
  point(6, {}, "not_found"),
];

describe("the price chart of an item in the dashboard", () => {
  it("starts with the price at the beginning of the time span, and ends with the current price", () => {
    const { prices } = seriesOf(points.slice(0, 3), { from: at(3), to: at(7) });
    expect(prices).toEqual([
      { at: at(3), value: 12 },
      { at: at(7), value: 12 },
    ]);
  });

  it("has a gap after a read without a price, and after the item was delisted", () => {
    const { prices } = seriesOf(points, { from: at(1), to: at(8) });
    expect(prices).toEqual([
      { at: at(1), value: 10 },
      { at: at(2), value: 12 },
      { at: at(4), value: null },
      { at: at(5), value: 9 },
      { at: at(6), value: null },
      { at: at(8), value: null },
    ]);
  });

  it("shades the times without stock within the time span, and the time after the item was delisted", () => {
    const { outOfStock } = seriesOf(points, { from: at(4), to: at(8) });
    expect(outOfStock).toEqual([
      { from: at(4), to: at(5) },
      { from: at(6), to: at(8) },
    ]);
  });

  it("shades nothing if the item was back in stock before the time span began", () => {
    expect(seriesOf(points.slice(0, 5), { from: at(6), to: at(8) }).outOfStock).toEqual([]);
  });

  it("omits changes after the end of the time span", () => {
    const { prices } = seriesOf(points, { from: at(1), to: at(1) });
    expect(prices).toEqual([{ at: at(1), value: 10 }]);
  });

  it("shows the most specific of the price fields that were read", () => {
    expect(priceFieldIn([point(1, { lowestPrice: 9 }), point(2, { newMinPrice: 8 })])).toBe(
      "newMinPrice",
    );
    expect(priceFieldIn([point(1, { inStock: true })])).toBeUndefined();
    expect(seriesOf([point(1, { inStock: true })], { from: at(1), to: at(2) }).prices).toEqual([]);
  });
});
