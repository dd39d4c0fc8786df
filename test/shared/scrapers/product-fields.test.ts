import { describe, expect, it } from "vitest";
import { statusOfFound, pulseStatus } from "../../../shared/scrapers/product-fields.ts";

const shown = {
  title: "Lamp",
  availability: { inStock: true, message: "In stock" },
  price: { amount: 19.99, currency: "USD" },
};
const soldOut = { ...shown, availability: { inStock: false, message: "Sold out" } };
const { price: _price, ...priceless } = shown;
const free = { amount: 0, currency: "USD" };

describe("the status of a found item", () => {
  it.each([
    ["in stock at a price", shown],
    ["out of stock at a price", soldOut],
    ["out of stock with a price of null", { ...soldOut, price: null }],
    ["out of stock at a price of 0", { ...soldOut, price: free }],
  ])('is "ok" for an item that is complete: %s', (_, fields) => {
    expect(statusOfFound(fields)).toBe("ok");
  });

  it.each([
    ["in stock without a price", priceless],
    ["in stock with a price of null", { ...shown, price: null }],
    ["in stock at a price of 0", { ...shown, price: free }],
    ["without a title", { availability: shown.availability, price: shown.price }],
    ["with unknown stock", { title: "Lamp", price: shown.price }],
  ])('is "partial" for an item that is incomplete: %s', (_, fields) => {
    expect(statusOfFound(fields)).toBe("partial");
  });

  it('at the tier "pulse" is "ok" without new offers, and "partial" if the lowest price of new offers is missing', () => {
    expect(pulseStatus({ retailer_a: { newCount: 0, newMinPrice: null } })).toBe("ok");
    expect(pulseStatus({ retailer_a: { newCount: 1 } })).toBe("partial");
  });
});
