import { describe, expect, it } from "vitest";
import type { ProductScraperId } from "../../../../shared/scrapers/catalog.ts";
import { type ProductData, productFrom } from "../../../../shared/sources/upstream/result-data.ts";

const inStock = { inStock: true, message: "In stock" };
const found = (data: object, scraper: ProductScraperId = "retailer_d.standard"): ProductData => {
  const product = productFrom(scraper, { title: "Lamp", ...data }, "USD");
  if (product === null) throw new Error("The price is in another currency");
  return product;
};

describe("a selling price from an upstream server", () => {
  it.each([0, "0", "0.00", 0.001, -1])("is unknown if the value is %j", (amount) => {
    const price = { amount, currency: "USD" };
    const { status, fields } = found({ price, availability: inStock });
    expect(status).toBe("partial");
    expect(fields).not.toHaveProperty("price");
  });

  it('of null makes an item in stock "partial", and leaves an item out of stock "ok"', () => {
    expect(found({ price: null, availability: inStock }).status).toBe("partial");
    const soldOut = { inStock: false, message: "Sold out" };
    expect(found({ price: null, availability: soldOut }).status).toBe("ok");
  });

  it("is returned if the price is one cent", () => {
    const price = { amount: 0.01, currency: "USD" };
    expect(found({ price, availability: inStock })).toMatchObject({
      status: "ok",
      fields: { price },
    });
  });

  it("may not be 0, unlike other price fields, such as the price of shipping", () => {
    const standard = { amount: 0, currency: "USD" };
    const data = { retailer_b: { shipping: { standard } } };
    expect(found(data, "retailer_b.standard").fields).toMatchObject(data);
  });

  it('at the tier pulse makes an item "partial" if the price is 0, but not if the price is null and there are no offers', () => {
    const pulse = (newMinPrice: unknown, newCount: number): ProductData =>
      found({ retailer_a: { newCount, newMinPrice } }, "retailer_a.pulse");
    expect(pulse(0, 1)).toMatchObject({
      status: "partial",
      fields: { retailer_a: { newCount: 1 } },
    });
    expect(pulse(null, 0).status).toBe("ok");
  });
});
