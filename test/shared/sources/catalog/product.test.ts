import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../../../shared/scrapers/scraper.ts";
import { catalogAnswer, catalogProduct } from "../../../../shared/sources/catalog/product.ts";
import { loadRecordedProducts } from "../../../../tools/sources/replay-catalog.ts";
import { aProduct } from "./double.ts";

const fetchedAt = "2026-03-01T12:00:00.000Z";
const map = (product: unknown): Answer =>
  catalogAnswer(v.parse(catalogProduct, product), { id: "11111", fetchedAt, currency: "USD" });
const fieldsOf = (answer: Answer): Record<string, unknown> =>
  "fields" in answer ? { ...answer.fields } : {};
const objectOf = (answer: Answer): Record<string, unknown> => ({
  ...(fieldsOf(answer)["retailer_d"] as object),
});
const recorded = loadRecordedProducts();
const answerFor = (sku: number): Answer => map(recorded.find((one) => one.sku === sku));

describe("the mapping of a catalog product", () => {
  it("returns every field of a product on sale", () => {
    expect(answerFor(6501234)).toEqual({
      id: "11111",
      status: "ok",
      fetchedAt,
      fields: {
        title: "Kelwick - Wireless Headphones A1",
        url: "https://catalog.example/products/6501234",
        price: { amount: 99.99, currency: "USD" },
        availability: { inStock: true, message: "Delivery: Most Areas" },
        fulfillment: { byPlatform: true },
        images: ["https://images.example/6501234_a.jpg"],
        retailer_d: {
          state: "ADD_TO_CART",
          regularPrice: 129.99,
          savings: 30,
          brand: "Kelwick",
          condition: "New",
          category: "Headphones",
          purchasable: true,
        },
      },
    });
  });

  it.each([
    [6510001, "SOLD_OUT", false],
    [6510003, "PRE_ORDER", true],
    [6510007, "CHECK_STORES", false],
    [6510009, "COMING_SOON", false],
  ])(
    "returns for the product %d the order state \"%s\" and the value 'purchasable' %s",
    (sku, state, purchasable) => {
      expect(objectOf(answerFor(sku))).toMatchObject({ state, purchasable });
    },
  );

  it('returns "partial" without price and savings if the retailer hides the price', () => {
    const answer = answerFor(6510004);
    expect(answer.status).toBe("partial");
    expect(fieldsOf(answer)).not.toHaveProperty("price");
    expect(objectOf(answer)).not.toHaveProperty("savings");
  });

  it('returns "not_found" for a product that the retailer has stopped selling', () => {
    expect(answerFor(6510005)).toEqual({ id: "11111", status: "not_found", fetchedAt });
  });

  it("parses numbers sent as strings", () => {
    expect(fieldsOf(answerFor(6510006))["price"]).toEqual({ amount: 89.5, currency: "USD" });
  });

  it("omits fields that the retailer does not show", () => {
    const answer = answerFor(6510008);
    expect(answer.status).toBe("ok");
    expect(fieldsOf(answer)).not.toHaveProperty("images");
    expect(fieldsOf(answer)["fulfillment"]).toEqual({ byPlatform: false });
    expect(objectOf(answer)).not.toHaveProperty("brand");
  });

  it('returns "partial" for a product that is in stock and has no price', () => {
    expect(answerFor(6510010).status).toBe("partial");
  });
});

describe("the mapping of an invalid catalog product", () => {
  it.each([
    [0],
    ["0.00"],
    [0.004],
    [-1],
    ["NaN"],
    ["12,99"],
    [1e300],
    [null],
    [{}],
    [true],
    ["Infinity"],
  ])("returns no price for the source value %j", (salePrice) => {
    const answer = map(aProduct("11111", { salePrice }));
    expect(answer.status).toBe("partial");
    expect(fieldsOf(answer)).not.toHaveProperty("price");
  });

  it('returns "ok" for a product that is out of stock and has no price', () => {
    const product = { salePrice: null, onlineAvailability: false, orderable: "SoldOut" };
    expect(map(aProduct("11111", product)).status).toBe("ok");
  });

  it("omits a regular price of 0", () => {
    expect(objectOf(map(aProduct("11111", { regularPrice: 0 })))).not.toHaveProperty(
      "regularPrice",
    );
  });

  it('returns "partial" if stock or name cannot be parsed', () => {
    expect(map(aProduct("11111", { onlineAvailability: "maybe" })).status).toBe("partial");
    expect(map(aProduct("11111", { name: ["no", "text"] })).status).toBe("partial");
  });

  it("omits an unknown order state", () => {
    expect(objectOf(map(aProduct("11111", { orderable: "Perhaps" })))).not.toHaveProperty("state");
  });

  it("shortens long texts and drops invalid addresses", () => {
    const answer = map(aProduct("11111", { name: "x".repeat(5_000), url: "javascript:alert(1)" }));
    expect(fieldsOf(answer)["title"]).toHaveLength(1_000);
    expect(fieldsOf(answer)).not.toHaveProperty("url");
  });
});
