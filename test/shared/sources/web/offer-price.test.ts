import { describe, expect, it } from "vitest";
import { anOffer, aPage, aProduct, factsOf, linkedData } from "./page.ts";

const usd = (amount: number): object => ({ amount, currency: "USD" });
/**
 * Returns the price of a page with `offers` in its linked data. Its `<meta>` elements have the
 * price 10, which must not replace an unclear price in the linked data.
 */
const priceOf = (offers: unknown, fields: Readonly<Record<string, unknown>> = {}): unknown => {
  const meta =
    '<meta property="og:price:amount" content="10"><meta property="og:price:currency" content="USD">';
  return factsOf(aPage(meta + linkedData(aProduct({ offers, ...fields })))).price;
};
const specified = (...priceSpecification: readonly object[]): unknown =>
  priceOf(anOffer({ price: undefined, priceSpecification }));
const aggregate = (fields: object): object => ({
  "@type": "AggregateOffer",
  priceCurrency: "USD",
  availability: "InStock",
  ...fields,
});
const quantity = (fields: object): object => ({
  eligibleQuantity: { "@type": "QuantitativeValue", ...fields },
});

describe("price specifications in JSON-LD", () => {
  it("are ignored if they are for additional charges", () => {
    const delivery = { "@type": "DeliveryChargeSpecification", price: 4.99 };
    const payment = { "@type": "PaymentChargeSpecification", price: 1 };
    const price = { "@type": "UnitPriceSpecification", price: 49.99 };
    expect(specified(delivery, payment, price)).toEqual(usd(49.99));
    const facts = factsOf(
      aPage(
        linkedData(
          aProduct({ offers: anOffer({ price: undefined, priceSpecification: delivery }) }),
        ),
      ),
    );
    expect(facts).not.toHaveProperty("price");
  });

  it.each([
    ["a month", { billingDuration: 24, unitCode: "MON" }],
    ["a kilogram", { unitCode: "KGM" }],
    ["a hundred grams", { unitText: "100 g" }],
    ["a reference quantity of a weight", { referenceQuantity: { value: 100, unitCode: "GRM" } }],
    ["a reference quantity that has no unit", { referenceQuantity: { value: 1 } }],
    ["a dozen", { referenceQuantity: { value: 12, unitCode: "C62" } }],
    [
      "a kilogram, by the value reference of the quantity",
      { referenceQuantity: { value: 1, unitCode: "EA", valueReference: { unitCode: "KGM" } } },
    ],
    ["two kilograms, in a text", { eligibleQuantity: "2 kg" }],
    ["an installment", { priceComponentType: "https://schema.org/Installment" }],
    ["a hundred pieces", quantity({ minValue: 100 })],
    ["a hundred pieces, in a text", { eligibleQuantity: "100" }],
  ])(
    "for a unit other than a single piece (%s) give no price, and do not replace the price of a single piece",
    (_, fields) => {
      const price = { price: 10, ...fields };
      expect(specified(price)).toBeUndefined();
      expect(specified(price, { price: 12 })).toEqual(usd(12));
    },
  );

  it.each([
    ...["EA", "C62", "H87", "each"].map((unitCode) => ({ unitCode })),
    { unitCode: "ONE" },
    { unitText: "Each" },
    { unitText: "pcs" },
    { referenceQuantity: { value: 1, unitCode: "C62" } },
    { referenceQuantity: { value: "1", unitText: "EA" } },
    { eligibleQuantity: "1 pc" },
    quantity({ minValue: 1, maxValue: 99 }),
    quantity({ maxValue: 5 }),
  ])("for a single piece give the price (the specification of the unit: %j)", (fields) => {
    expect(specified({ price: 12, ...fields })).toEqual(usd(12));
  });

  it("give no price if their prices differ", () => {
    expect(specified({ price: 8 }, { price: 12 })).toBeUndefined();
    expect(specified({ price: 12 }, { price: "12.00" })).toEqual(usd(12));
  });

  it("give a price for a price range only if the two ends of the range are equal", () => {
    expect(specified({ minPrice: 10, maxPrice: 50 })).toBeUndefined();
    expect(specified({ minPrice: 10, maxPrice: "$1,0000" })).toBeUndefined();
    expect(specified({ maxPrice: 10 })).toBeUndefined();
    expect(specified({ minPrice: 12, maxPrice: 12 })).toEqual(usd(12));
  });
});

describe("a price next to a price specification", () => {
  const beside = (...priceSpecification: readonly object[]): unknown =>
    priceOf(anOffer({ price: 19.99, priceSpecification }));

  it.each([
    ["another price", { price: 29.99 }],
    ["a sale price", { price: 14.99, priceType: "https://schema.org/SalePrice" }],
    ["a range", { minPrice: 19.99, maxPrice: 39.99 }],
    ["another price of one piece", { price: 29.99, unitCode: "C62" }],
  ])(
    "is not returned if the specification contradicts the price (it contains %s)",
    (_, specification) => {
      expect(beside(specification)).toBeUndefined();
    },
  );

  it.each([
    ["the same price", { price: "19.99" }],
    ["a list price", { price: 29.99, priceType: "https://schema.org/ListPrice" }],
    ["a price for members", { price: 14.99, validForMemberTier: { name: "Gold" } }],
    ["a kilogram's price", { price: 4.5, unitCode: "KGM" }],
    ["a month's price", { price: 5, billingDuration: "P1M" }],
    ["a dozen's price", { price: 14.99, eligibleQuantity: { minValue: 12 } }],
    ["another currency's price", { price: 17.99, priceCurrency: "EUR" }],
    ["a delivery price", { "@type": "DeliveryChargeSpecification", price: 5 }],
  ])(
    "is returned if the specification does not contradict the price (it contains %s)",
    (_, specification) => {
      expect(beside(specification)).toEqual(usd(19.99));
    },
  );
});

describe("an offer on a page", () => {
  it("has no price if it is for a hundred pieces", () => {
    const ofMany = anOffer({ price: 10, ...quantity({ minValue: 100 }) });
    expect(priceOf(ofMany)).toBeUndefined();
    expect(priceOf([ofMany, anOffer({ price: 12 })])).toEqual(usd(12));
  });

  it("is ignored if it is for members or for a lease", () => {
    const members = anOffer({ price: 15, validForMemberTier: { name: "Gold" } });
    const lease = anOffer({
      price: 3,
      businessFunction: "http://purl.org/goodrelations/v1#LeaseOut",
    });
    const sale = anOffer({ price: 20, businessFunction: "http://purl.org/goodrelations/v1#Sell" });
    expect(priceOf([members, lease, sale])).toEqual(usd(20));
  });

  it("has no price if it contains two prices", () => {
    expect(priceOf(anOffer({ price: ["10", "29.99"] }))).toBeUndefined();
    expect(priceOf(anOffer({ price: ["12", "12.00"] }))).toEqual(usd(12));
  });

  it("takes the currency from the text of its amount if it has no other currency", () => {
    expect(priceOf(anOffer({ price: "US $12.50", priceCurrency: undefined }))).toEqual(usd(12.5));
  });

  it("gives no price if another offer has a different price", () => {
    expect(priceOf([anOffer({ price: 10 }), anOffer({ price: 20 })])).toBeUndefined();
  });
});

describe("an aggregate offer on a page", () => {
  it.each([
    ["several offers", { lowPrice: 10, offerCount: 7 }],
    ["an unknown number of offers", { lowPrice: 10 }],
    ["a price range", { lowPrice: 10, highPrice: 50 }],
    ["a range of one offer", { lowPrice: 10, highPrice: 50, offerCount: 1 }],
    ["a range whose end cannot be read", { lowPrice: 10, highPrice: "$1,0000" }],
    ["a range and a price in it", { price: 10, lowPrice: 10, highPrice: 50 }],
    ["two different prices", { price: 10, lowPrice: 12, highPrice: 12 }],
  ])("has no price if it does not determine one price (it has %s)", (_, fields) => {
    expect(priceOf(aggregate(fields))).toBeUndefined();
  });

  it("has a price if it has one offer, or equal lowest and highest prices", () => {
    expect(priceOf(aggregate({ price: 12, lowPrice: 12, highPrice: 12 }))).toEqual(usd(12));
    expect(priceOf(aggregate({ price: 12, lowPrice: 12, highPrice: 0 }))).toEqual(usd(12));
    expect(priceOf(aggregate({ lowPrice: 12, offerCount: 1 }))).toEqual(usd(12));
    expect(priceOf(aggregate({ lowPrice: 12, highPrice: "12.00", offerCount: 7 }))).toEqual(
      usd(12),
    );
  });
});

describe("a group of variants on a page", () => {
  const group = (prices: readonly number[], offers?: object): unknown =>
    priceOf(offers, {
      "@type": "ProductGroup",
      productGroupID: "6501234",
      hasVariant: prices.map((price) => aProduct({ offers: anOffer({ price }) })),
    });

  it("has no price if the prices of its variants differ, even if other markup contains a price", () => {
    expect(group([10, 20])).toBeUndefined();
    expect(group([10, 20], aggregate({ lowPrice: 10 }))).toBeUndefined();
    expect(group([10, 20], anOffer({ price: 10 }))).toBeUndefined();
    expect(group([12, 12], anOffer({ price: 12 }))).toEqual(usd(12));
  });
});
