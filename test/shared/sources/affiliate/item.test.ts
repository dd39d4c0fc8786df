import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { Answer } from "../../../../shared/scrapers/scraper.ts";
import { affiliateAnswer } from "../../../../shared/sources/affiliate/fields.ts";
import { affiliateItem } from "../../../../shared/sources/affiliate/item.ts";
import { anItem, sampleItem } from "./double.ts";

const fetchedAt = "2026-03-01T12:00:00.000Z";
const id = "55001001";

function map(item: unknown, isTracking = false): Answer {
  const reading = { id, fetchedAt, currency: "USD", retailerName: "Retailer B", isTracking };
  return affiliateAnswer(v.parse(affiliateItem, item), reading);
}
const fieldsOf = (item: unknown): Record<string, unknown> => {
  const answer = map(item);
  return "fields" in answer ? { ...answer.fields } : {};
};
const objectOf = (fields: Record<string, unknown>): Record<string, unknown> => ({
  ...(fieldsOf(anItem(id, fields))["retailer_b"] as object),
});
const availability = (fields: Record<string, unknown>): unknown =>
  fieldsOf(anItem(id, fields))["availability"];

describe("the mapping of an affiliate item", () => {
  it("returns every field of an item that the retailer sells", () => {
    expect(map(sampleItem(0))).toEqual({
      id,
      status: "ok",
      fetchedAt,
      fields: {
        title: 'Kelwick 2-Slice Toaster & Bagel Warmer, 7" Slots',
        url: "https://shop.example/ip/55001001",
        price: { amount: 34.5, currency: "USD" },
        availability: { inStock: true, message: "Available" },
        seller: { name: "Retailer B" },
        fulfillment: { byPlatform: true },
        images: ["https://images.example/a-450.jpg", "https://images.example/b-450.jpg"],
        retailer_b: {
          brand: "Kelwick",
          upc: "012345678905",
          modelNumber: "KT-200",
          parentId: "55001000",
          listPrice: { amount: 49.99, currency: "USD" },
          offerId: "7C0FFEE00001",
          offerType: "ONLINE_AND_STORE",
          thirdPartySeller: false,
          onlineAvailable: true,
          shipping: {
            standard: { amount: 5.99, currency: "USD" },
            twoDayEligible: true,
            freeOverThreshold: true,
          },
          maxPerOrder: 12,
          clearance: false,
          preOrder: false,
          category: "Home/Kitchen Appliances/Toasters",
          rating: 4.626,
          reviewsCount: 318,
          color: "Silver",
        },
      },
    });
  });

  it("parses numbers and flags sent as strings, for an item of a third-party seller", () => {
    expect(fieldsOf(sampleItem(1))).toEqual({
      title: "Norvane Desk Lamp",
      url: "https://shop.example/ip/55001002",
      price: { amount: 19.95, currency: "USD" },
      availability: { inStock: true, message: "Limited Supply" },
      seller: { name: "Birch Outlet & Co" },
      fulfillment: { byPlatform: true },
      images: ["https://images.example/55001002-450.jpg"],
      retailer_b: {
        offerType: "ONLINE_ONLY",
        thirdPartySeller: true,
        onlineAvailable: true,
        shipping: { freeOverThreshold: false },
        maxPerOrder: 3,
        reviewsCount: 12,
      },
    });
  });

  it('returns "ok" for an item that is out of stock', () => {
    const answer = map(sampleItem(2));
    expect(answer).toMatchObject({
      status: "ok",
      fields: { availability: { inStock: false, message: "Not available" } },
    });
  });

  it("returns a third-party item as not shipped by the platform if the source does not name the shipper", () => {
    const fields = fieldsOf(anItem(id, { marketplace: true, sellerInfo: "Alder" }));
    expect(fields["fulfillment"]).toEqual({ byPlatform: false });
  });

  it("returns no seller if the third-party seller has no name", () => {
    expect(fieldsOf(anItem(id, { marketplace: true }))).not.toHaveProperty("seller");
  });

  it("returns the flag for free shipping regardless of the minimum amount", () => {
    expect(objectOf({ freeShippingOver125Dollars: true })["shipping"]).toEqual({
      freeOverThreshold: true,
    });
  });

  it("returns a condition only if the source states one", () => {
    expect(objectOf({})).not.toHaveProperty("condition");
    expect(objectOf({ condition: "Refurbished" })["condition"]).toBe("Refurbished");
  });
});

describe("the availability of an affiliate item", () => {
  it.each([
    [{ stock: "Available", availableOnline: true }, true, "Available"],
    [{ stock: "Last few items", availableOnline: true }, true, "Last few items"],
    [{ stock: undefined, availableOnline: true }, true, "In stock"],
    [{ stock: "Perhaps", availableOnline: true }, true, "Perhaps"],
    [{ stock: "Available", availableOnline: undefined }, true, "Available"],
    [{ stock: "Not available", availableOnline: true }, false, "Not available"],
    [{ stock: "Available", availableOnline: false }, false, "Out of stock"],
    [
      { stock: "Available", availableOnline: false, offerType: "STORE_ONLY" },
      false,
      "In stores only",
    ],
    [{ stock: "Available", availableOnline: true, preOrder: true }, false, "Pre-order"],
  ])(
    "for the source values %j has the value inStock %s and the message %j",
    (fields, inStock, message) => {
      expect(availability(fields)).toEqual({ inStock, message });
    },
  );

  it("is unknown if the source does not state the stock", () => {
    const answer = map(anItem(id, { stock: "Perhaps", availableOnline: "maybe" }));
    expect(answer.status).toBe("partial");
    expect(answer).not.toHaveProperty("fields.availability");
  });
});

describe("the link of an affiliate item", () => {
  const counting = "https://go.example/c/77/1/2?u=https%3A%2F%2Fshop.example%2Fip%2F9";
  const productUrl = "https://shop.example/ip/9";

  it("is the address of the product page, or a tracking link if tracking links are configured", () => {
    const item = anItem(id, { productUrl, productTrackingUrl: counting });
    expect(map(item)).toMatchObject({ fields: { url: productUrl } });
    expect(map(item, true)).toMatchObject({ fields: { url: counting } });
  });

  it.each([false, true])(
    "contains no unreplaced placeholder (tracking links are configured: %s)",
    (isTracking) => {
      const productTrackingUrl = counting.replace("/77/", "/|PUBID|/");
      const item = anItem(id, { productTrackingUrl });
      expect(map(item, isTracking)).toMatchObject({ fields: { url: productUrl } });
      const without = anItem(id, { productTrackingUrl: "https://go.example/c/%7CPUBID%7C/1" });
      expect(map(without, isTracking)).not.toHaveProperty("fields.url");
    },
  );
});

describe("the mapping of an invalid affiliate item", () => {
  it.each([[-1], ["NaN"], ["12,99"], [1e300], [null], [{}], [true], [0], ["0.00"]])(
    "returns no price for the source value %j",
    (salePrice) => {
      const answer = map(anItem(id, { salePrice }));
      expect(answer.status).toBe("partial");
      expect(answer).not.toHaveProperty("fields.price");
    },
  );

  it("returns no rating above the maximum, no invalid counts and no invalid pictures", () => {
    const item = anItem(id, {
      customerRating: "47",
      numReviews: -3,
      maxItemsInOrder: 1.5,
      imageEntities: [null, 7, { largeImage: "javascript:alert(1)" }],
      largeImage: 12,
    });
    const fields = fieldsOf(item);
    expect(fields).not.toHaveProperty("images");
    expect(Object.keys(fields["retailer_b"] as object).toSorted()).toEqual([
      "onlineAvailable",
      "thirdPartySeller",
    ]);
  });

  it("shortens long texts, decodes HTML entities once, and removes control characters", () => {
    expect(map(anItem(id, { name: "x".repeat(5_000) }))).toMatchObject({
      fields: { title: "x".repeat(1_000) },
    });
    expect(map(anItem(id, { name: "a&amp;lt;b&#39;\u0000 c &bogus; &#xD800;" }))).toMatchObject({
      fields: { title: "a&lt;b' c &bogus; \uFFFD" },
    });
  });

  it('returns "partial" if the item has no name', () => {
    expect(map(anItem(id, { name: ["no", "text"] })).status).toBe("partial");
  });
});
