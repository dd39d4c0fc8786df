import { describe, expect, it } from "vitest";
import type { Answer } from "../../../../shared/scrapers/scraper.ts";
import {
  historyAnswer,
  type HistoryReading,
  sellerToName,
} from "../../../../shared/sources/price-history/fields.ts";
import { historyOfferId } from "../../../../shared/sources/price-history/offer-id.ts";
import {
  type HistoryProduct,
  productsOf,
} from "../../../../shared/sources/price-history/product.ts";
import { aListing, current, sampleProduct, someStats } from "./double.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const asin = "B0HISTORY1";

function parsed(product: unknown): HistoryProduct {
  const found = productsOf({ products: [product] }, { domain: 1, now })?.get(asin);
  if (found === undefined) throw new Error("the product could not be read");
  return found;
}

function map(product: unknown, reading: Partial<HistoryReading> = {}): Answer {
  const read = parsed(product);
  const currency = reading.currency ?? "USD";
  const sellerId = sellerToName(read, currency);
  return historyAnswer(read, {
    tier: "lite",
    currency,
    now,
    retailerName: "Retailer A",
    pageBaseUrl: undefined,
    imageBaseUrl: undefined,
    names: new Map(sellerId === undefined ? [] : [[sellerId, "Kelwick Shop"]]),
    ...reading,
  });
}

type Json = Record<string, unknown>;
const fieldsOf = (answer: Answer): Json => ("fields" in answer ? { ...answer.fields } : {});
const objectOf = (answer: Answer): Json => ({ ...(fieldsOf(answer)["retailer_a"] as Json) });
const withStats = (stats: Json): unknown => aListing(asin, { stats: someStats(stats) });
const withCurrent = (values: Record<number, unknown>, stats: Json = {}): unknown =>
  withStats({ current: current(values), ...stats });
const withoutBuybox = { buyBoxPrice: -1, buyBoxSellerId: null };

describe("the mapping of a price history product", () => {
  const shop = {
    pageBaseUrl: "https://shop.example/dp/",
    imageBaseUrl: "https://images.example/i",
  };
  const lite = {
    title: "Kelwick & Sons Espresso Machine K900",
    url: "https://shop.example/dp/B0HISTORY1",
    price: { amount: 599, currency: "USD" },
    availability: { inStock: true, message: "In Stock" },
    seller: { name: "Kelwick Shop" },
    fulfillment: { byPlatform: true, name: "Retailer A" },
    retailer_a: {
      brand: "Kelwick",
      displayCategory: "Espresso Machines",
      listPrice: 699,
      buybox: {
        offerListingId: historyOfferId({
          listing: asin,
          sellerId: "A1KELWICKSHOP",
          condition: "new",
          isFba: true,
        }),
        price: 599,
        condition: "new",
        merchant: { id: "A1KELWICKSHOP", name: "Kelwick Shop" },
        isFba: true,
        availabilityType: "in_stock",
      },
      newCount: 7,
      newMinPrice: 579.99,
      usedCount: 3,
      usedMinPrice: 412.5,
      rating: 4.5,
      reviewsCount: 2_318,
      delivery: null,
    },
  };
  const fetchedAt = "2026-03-01T04:40:00.000Z";

  it("returns only the count and the lowest price of new offers at the tier pulse", () => {
    expect(map(sampleProduct(), { ...shop, tier: "pulse" })).toEqual({
      id: asin,
      status: "ok",
      fetchedAt,
      fields: { retailer_a: { newCount: 7, newMinPrice: 579.99 } },
    });
  });

  it("returns a listing at the tier lite", () => {
    expect(map(sampleProduct(), shop)).toEqual({ id: asin, status: "ok", fetchedAt, fields: lite });
  });

  it("returns a listing with text, attributes and pictures at the tier full", () => {
    expect(fieldsOf(map(sampleProduct(), { ...shop, tier: "full" }))).toEqual({
      ...lite,
      images: [
        "https://images.example/i/81kelwick1.jpg",
        "https://images.example/i/82kelwick2.jpg",
      ],
      retailer_a: {
        ...lite.retailer_a,
        description: [
          "Quiet: runs at 50 dB.",
          "Fast – ready in 30 s.",
          "Made for daily use.",
          "Every part can be replaced.",
        ],
        attributes: [
          { name: "Brand", value: "Kelwick" },
          { name: "Manufacturer", value: "Kelwick Products" },
          { name: "Model", value: "K900" },
          { name: "Part Number", value: "K900-US" },
          { name: "Color", value: "Silver" },
          { name: "Material", value: "Steel, Wood" },
          { name: "Number of Items", value: "1" },
          { name: "Item Weight", value: "8200 g" },
          { name: "Item Dimensions", value: "300 x 280 x 400 mm" },
          { name: "UPC", value: "012345678905" },
        ],
        isParent: false,
      },
    });
  });

  it("returns neither page nor picture addresses if no base addresses are configured", () => {
    const fields = fieldsOf(map(sampleProduct(), { tier: "full" }));
    expect(fields).not.toHaveProperty("url");
    expect(fields).not.toHaveProperty("images");
  });

  it("omits pictures whose file names contain a path, a URL or a query", () => {
    const images = [{ l: "../x.jpg" }, { l: "https://x/y.jpg" }, { l: "a?b.jpg" }, { l: "ok.jpg" }];
    const answer = map(aListing(asin, { images }), { ...shop, tier: "full" });
    expect(fieldsOf(answer)["images"]).toEqual(["https://images.example/i/ok.jpg"]);
  });
});

describe("the read time of a price history product", () => {
  it.each([
    ["is the time that the source reports", 7_975_000, "2026-03-01T04:40:00.000Z"],
    ["is never in the future", 9_000_000, now.toISOString()],
    ["is the current time if the source reports no time", 0, now.toISOString()],
    ["is the current time if the source's time cannot be parsed", "soon", now.toISOString()],
  ])("follows the rule that it %s", (_, lastUpdate, fetchedAt) => {
    expect(map(aListing(asin, { lastUpdate })).fetchedAt).toBe(fetchedAt);
  });
});

describe("the values of a price history product", () => {
  it.each([
    ["a price in cents", { 1: 1_234, 11: 2 }, { newCount: 2, newMinPrice: 12.34 }],
    ["numbers as text", { 1: "1234", 11: "2" }, { newCount: 2, newMinPrice: 12.34 }],
    [
      "an offer count of 0 and a null price if there is no offer",
      { 1: -1, 11: 0 },
      { newCount: 0, newMinPrice: null },
    ],
    [
      "an offer count of 0 and a null price if the source has neither an offer nor a count",
      { 1: -1, 11: -1 },
      { newCount: 0, newMinPrice: null },
    ],
    ["only the offer count if the price is unknown", { 1: -2, 11: 3 }, { newCount: 3 }],
    [
      "only the offer count if the price is 0, which counts as unknown",
      { 1: 0, 11: 3 },
      { newCount: 3 },
    ],
    ["only the price if the offer count is unknown", { 1: 1_234, 11: -2 }, { newMinPrice: 12.34 }],
    [
      "only the price if the offer count contradicts the price",
      { 1: 1_234, 11: -1 },
      { newMinPrice: 12.34 },
    ],
    ["neither an unknown price nor an unknown count", { 1: -2, 11: null }, {}],
    ["nothing for invalid values", { 1: "12,34", 11: 1.5 }, {}],
    ["only the offer count if the price is impossibly high", { 1: 1e14, 11: 3 }, { newCount: 3 }],
  ])("include what the source values determine: %s", (_, values, shown) => {
    const answer = map(withCurrent(values), { tier: "pulse" });
    expect(objectOf(answer)).toEqual(shown);
    expect(answer.status).toBe(Object.keys(shown).length === 2 ? "ok" : "partial");
  });

  it("are whole units for yen, and not hundredths", () => {
    const answer = map(sampleProduct(), { currency: "JPY" });
    expect(fieldsOf(answer)["price"]).toEqual({ amount: 59_900, currency: "JPY" });
  });

  it("omit the new price if the retailer hides it", () => {
    const product = aListing(asin, {
      newPriceIsMAP: true,
      stats: someStats({ current: current({ 1: -1, 11: 2 }) }),
    });
    expect(map(product, { tier: "pulse" })).toMatchObject({
      status: "partial",
      fields: { retailer_a: { newCount: 2 } },
    });
  });

  it("omit the rating if the product has none", () => {
    expect(objectOf(map(withCurrent({ 16: 0, 17: -1 })))).not.toHaveProperty("rating");
    expect(objectOf(map(withCurrent({ 16: -1, 17: 0 })))).toMatchObject({ reviewsCount: 0 });
  });
});

describe("the buy box of a price history product", () => {
  const none = {
    price: null,
    availability: { inStock: false, message: "Currently unavailable" },
    seller: null,
    fulfillment: null,
  };

  it.each<[string, Json, Record<number, unknown>]>([
    ["the source reports no price", { buyBoxPrice: -1 }, { 18: -2 }],
    ["no offer qualifies for the buy box", { buyBoxIsUnqualified: true }, { 18: 1_999 }],
    ["the source reports no price with shipping", { buyBoxPrice: -2 }, { 18: -1 }],
    ["the buy box has no seller", { buyBoxPrice: -2, buyBoxSellerId: "-1" }, { 18: -2 }],
    ["there are no offers", { buyBoxPrice: -2 }, { 1: -1, 2: -1, 11: 0, 12: 0, 18: -2 }],
  ])("is null if no offer is in the buy box (%s)", (_, stats, values) => {
    const answer = map(withCurrent({ 1: 1_999, 11: 1, 12: 1, ...values }, stats));
    expect(answer).toMatchObject({ status: "ok", fields: none });
    expect(objectOf(answer)["buybox"]).toBeNull();
  });

  it.each<[string, Json]>([
    ["its state is unknown", { buyBoxPrice: -2 }],
    ["its price is 0", { buyBoxPrice: 0 }],
    ["the retailer hides its price", { buyBoxPrice: -1, buyBoxIsMAP: true }],
  ])("is absent if the buy box cannot be read (%s)", (_, stats) => {
    const answer = map(withCurrent({ 1: 1_999, 11: 1, 12: 1, 18: -2 }, stats));
    expect(answer.status).toBe("partial");
    expect(fieldsOf(answer)).not.toHaveProperty("price");
    expect(objectOf(answer)).not.toHaveProperty("buybox");
  });

  it("shows the retailer's configured name as the seller and shipper of the retailer's own offer", () => {
    const stats = { buyBoxIsAmazon: true, buyBoxIsFBA: null, buyBoxSellerId: "A0OWNSHOP1" };
    const answer = map(withStats(stats), { names: new Map() });
    expect(answer).toMatchObject({
      status: "ok",
      fields: {
        seller: { name: "Retailer A" },
        fulfillment: { byPlatform: true, name: "Retailer A" },
        retailer_a: {
          buybox: { merchant: { id: "A0OWNSHOP1", name: "Retailer A" }, isFba: true },
        },
      },
    });
  });

  it.each([
    ["has no name in the source", new Map([["A1SELLER01", null]])],
    ["could not be requested", new Map<string, string>()],
  ])(
    'makes the result "partial" if the name of its seller is unknown (the seller %s)',
    (_, names) => {
      const answer = map(withStats({}), { names });
      expect(answer).toMatchObject({ status: "partial", fields: { price: { amount: 19.99 } } });
      expect(fieldsOf(answer)).not.toHaveProperty("seller");
      expect(objectOf(answer)).not.toHaveProperty("buybox");
    },
  );

  it("is a used offer if there is no new offer", () => {
    const used = {
      buyBoxUsedPrice: 1_050,
      buyBoxUsedSellerId: "A1USEDSHOP",
      buyBoxUsedIsFBA: false,
      buyBoxUsedCondition: 3,
    };
    const values = { 1: -1, 2: 1_050, 11: 0, 12: 2 };
    expect(map(withCurrent(values, { ...withoutBuybox, ...used }))).toMatchObject({
      status: "ok",
      fields: {
        price: { amount: 10.5 },
        availability: { inStock: true },
        fulfillment: { byPlatform: false, name: "Kelwick Shop" },
        retailer_a: {
          buybox: { condition: "used_very_good", price: 10.5, availabilityType: "unknown" },
        },
      },
    });
    const free = map(withCurrent(values, { ...withoutBuybox, ...used, buyBoxUsedPrice: 0 }));
    expect(free.status).toBe("partial");
    expect(fieldsOf(free)).not.toHaveProperty("price");
    const withNew = withCurrent({ 1: 1_999, 11: 1, 12: 2 }, { ...withoutBuybox, ...used });
    expect(objectOf(map(withNew))["buybox"]).toBeNull();
  });
});

describe("the availability of a price history product", () => {
  it.each<[string, boolean | undefined, Json]>([
    ["in_stock", true, {}],
    ["in_stock", true, { buyBoxAvailabilityMessage: null }],
    ["in_stock_scarce", true, { buyBoxAvailabilityMessage: "Only 3 left in stock - order soon." }],
    ["leadtime", true, { buyBoxAvailabilityMessage: "Usually ships within 2 to 3 weeks" }],
    ["leadtime", false, { buyBoxIsBackorder: true, buyBoxIsShippable: false }],
    ["available_date", false, { buyBoxAvailabilityMessage: "In stock on May 3, 2026." }],
    ["preorder", false, { buyBoxIsPreorder: true }],
    ["preorder", false, { buyBoxAvailabilityMessage: "This item will be released on May 3." }],
    ["out_of_stock", false, { buyBoxAvailabilityMessage: "Temporarily out of stock." }],
    ["out_of_stock", false, { buyBoxIsShippable: false }],
    ["unavailable", false, { buyBoxAvailabilityMessage: "Currently unavailable." }],
    ["unknown", true, { buyBoxAvailabilityMessage: "Ask the shop" }],
    ["unknown", undefined, { buyBoxAvailabilityMessage: null, buyBoxIsShippable: null }],
  ])(
    'has the type "%s" and the value inStock %s for the source values %j',
    (availabilityType, inStock, stats) => {
      const answer = map(withStats(stats));
      expect(objectOf(answer)["buybox"]).toMatchObject({ availabilityType });
      const { availability } = fieldsOf(answer) as { availability?: { inStock: boolean } };
      expect(availability?.inStock).toBe(inStock);
      expect(answer.status).toBe(inStock === undefined ? "partial" : "ok");
    },
  );
});

describe("the type of a price history product", () => {
  it('makes the item "not_found" if the type marks invalid products', () => {
    const answer = map(aListing(asin, { productType: 4 }));
    expect(answer).toEqual({ id: asin, status: "not_found", fetchedAt: answer.fetchedAt });
  });

  it('leaves the product without offers if the type is "parent"', () => {
    const parent = aListing(asin, { productType: 5, stats: null });
    expect(map(parent, { tier: "pulse" })).toMatchObject({
      status: "ok",
      fields: { retailer_a: { newCount: 0, newMinPrice: null } },
    });
    expect(map(parent, { tier: "full" })).toMatchObject({
      status: "ok",
      fields: { price: null, retailer_a: { buybox: null, isParent: true } },
    });
  });

  it.each([1, 2, 3, 6, "2"])(
    "leaves the prices unknown, and not null, if the type is the number %j",
    (type) => {
      const stats = someStats({ current: current({}), buyBoxPrice: -1 });
      const product = aListing(asin, { productType: type, stats });
      expect(map(product, { tier: "pulse" })).toMatchObject({
        status: "partial",
        fields: { retailer_a: {} },
      });
      expect(map(product).status).toBe("partial");
      expect(fieldsOf(map(product))).not.toHaveProperty("price");
    },
  );

  it('makes the item "unavailable" if the source has no data about the product', () => {
    const product = aListing(asin, { title: null, stats: someStats({ current: current({}) }) });
    const blank = aListing(asin, { title: null, stats: null });
    expect(map(blank).status).toBe("unavailable");
    expect(map(blank, { tier: "pulse" }).status).toBe("unavailable");
    expect(map(product).status).toBe("partial");
  });
});
