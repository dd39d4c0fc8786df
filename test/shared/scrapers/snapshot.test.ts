import { describe, expect, it } from "vitest";
import {
  type ProductScraperId,
  scrapers,
  stepScraperIds,
  stepScrapers,
} from "../../../shared/scrapers/catalog.ts";
import { scraperIds } from "../../support/scraper-ids.ts";
import type { Snapshot } from "../../../shared/scrapers/catalog.ts";
import type { Offer } from "../../../shared/scrapers/offer.ts";
import {
  buyboxOfferOf,
  snapshotOf,
  snapshotOfOfferCheck,
  snapshotOfOffers,
} from "../../../shared/scrapers/snapshot.ts";
import { sandboxAnswer } from "../../../shared/sources/sandbox/scraper.ts";

const at = new Date("2026-03-01T12:00:00.000Z");

function read(scraper: ProductScraperId, id: string): Snapshot {
  const answer = sandboxAnswer({ scraper, marketplace: "us", id, at, seed: "test" });
  if (answer.status !== "ok") throw new Error(`${id} is always found`);
  return snapshotOf(scraper, answer.fields);
}

describe("the snapshot of a found item", () => {
  it.each([
    ["retailer_a.pulse", { newCount: 1, newMinPrice: 99.99 }],
    [
      "retailer_b.standard",
      {
        price: 99.99,
        listPrice: 149.99,
        inStock: true,
        seller: "Retailer B",
        byPlatform: true,
        thirdPartySeller: false,
        offerId: expect.stringMatching(/^\d{16}$/),
        clearance: false,
      },
    ],
    [
      "retailer_c.standard",
      {
        price: 99.99,
        regularPrice: 149.99,
        inStock: true,
        shipping: "IN_STOCK",
        pickup: "IN_STOCK",
      },
    ],
    [
      "retailer_d.standard",
      {
        price: 99.99,
        inStock: true,
        state: "ADD_TO_CART",
        regularPrice: 149.99,
        purchasable: true,
      },
    ],
  ] as const)(
    "of the scraper %s contains the item's tracked and testable fields as one flat object",
    (scraper, snapshot) => {
      const id = scraper === "retailer_a.pulse" ? "B0SANDBOX0" : "9000000";
      expect(read(scraper, id)).toEqual(snapshot);
    },
  );

  it.each(["retailer_a.lite", "retailer_a.full"] as const)(
    "of the scraper %s contains the ID of the merchant",
    (scraper) => {
      expect(read(scraper, "B0SANDBOX0")).toMatchObject({
        price: 99.99,
        inStock: true,
        availabilityType: "in_stock",
        isFba: true,
        offerListingId: expect.any(String),
        merchant: "A0RETAILERAUS",
        condition: "new",
        newCount: 1,
        newMinPrice: 99.99,
        usedCount: 1,
        usedMinPrice: 100.99,
      });
    },
  );

  it("of a listing without a buy box has null in all buy box fields", () => {
    expect(read("retailer_a.lite", "B0SANDBOXN")).toMatchObject({
      price: null,
      inStock: false,
      availabilityType: null,
      isFba: null,
      offerListingId: null,
      merchant: null,
      condition: null,
      deliveryDate: null,
      newCount: 1,
    });
  });

  it.each(scraperIds)(
    "of the scraper %s contains every tracked field, and no fields that are neither tracked nor testable",
    (scraper) => {
      const { platform, trackedFields, testableFields } = scrapers[scraper];
      const known: ReadonlySet<string> = new Set([...trackedFields, ...testableFields]);
      const snapshot = read(scraper, platform === "retailer_a" ? "B0SANDBOX0" : "9000000");
      for (const field of Object.keys(snapshot)) expect(known).toContain(field);
      for (const field of trackedFields) expect(snapshot).toHaveProperty(field);
    },
  );

  it("omits fields that were not read", () => {
    const fields = { title: "Lamp", retailer_d: { state: "SOLD_OUT" } };
    expect(snapshotOf("retailer_d.standard", fields)).toEqual({ state: "SOLD_OUT" });
  });

  it("contains null for a field that is null, and for a field inside an object that is null", () => {
    const fields = { price: null, retailer_d: { regularPrice: null } };
    expect(snapshotOf("retailer_d.standard", fields)).toEqual({ price: null, regularPrice: null });
  });

  it("omits values that cannot be compared, and fields inside a value that is not an object", () => {
    const fields = { price: { amount: { nested: 1 } }, availability: "yes" };
    expect(snapshotOf("retailer_d.standard", fields)).toEqual({});
  });
});

const offer = (price: number, condition: string, seller: string): Offer => ({
  offerListingId: `offer-of-${seller}`,
  price,
  currency: "USD",
  priceDisplay: `$${price}`,
  condition,
  seller: { id: seller, name: `Seller ${seller}` },
  fulfillment: { isFba: false, fulfillerName: seller },
  isBuybox: false,
});

describe("the snapshot of offers", () => {
  const at12 = { id: "B0SANDBOX0", status: "ok", fetchedAt: at.toISOString() } as const;
  const answer = {
    ...at12,
    totalOffers: 40,
    offers: [
      offer(12, "new", "A1"),
      { ...offer(15, "new", "A2"), isBuybox: true },
      offer(7, "used_good", "A3"),
      offer(9, "refurbished", "A4"),
    ],
  };
  const buybox = { buyboxSeller: "A2", buyboxPrice: 15 };

  it.each([
    ["all", { ...buybox, offerCount: 40, lowestPrice: 7 }],
    ["new", { ...buybox, offerCount: 2, lowestPrice: 12 }],
    ["used", { ...buybox, offerCount: 2, lowestPrice: 7 }],
  ] as const)(
    'with the condition filter "%s" has the count and the lowest price of the selected offers, and the buy box of all offers',
    (condition, own) => {
      expect(snapshotOfOffers(answer, condition)).toEqual(own);
    },
  );

  it("of a listing without offers has the count 0, and null in all other fields", () => {
    const none = { ...at12, totalOffers: 0, offers: [] };
    expect(snapshotOfOffers(none, "all")).toEqual({
      offerCount: 0,
      buyboxSeller: null,
      buyboxPrice: null,
      lowestPrice: null,
    });
    expect(buyboxOfferOf(none)).toBeNull();
  });

  it("has a count that is at least the number of offers from the source", () => {
    expect(snapshotOfOffers({ ...answer, totalOffers: 1 }, "all")).toMatchObject({ offerCount: 4 });
  });

  it("is stored with the ID of the offer in the buy box for later offer checks", () => {
    expect(buyboxOfferOf(answer)).toBe("offer-of-A2");
  });

  it("contains exactly the fields of its scraper, like the snapshot of an offer check", () => {
    const { fieldTypes } = stepScrapers["retailer_a.offers"];
    expect(Object.keys(snapshotOfOffers(answer, "all")).toSorted()).toEqual(
      Object.keys(fieldTypes).toSorted(),
    );
    const check = { asin: "B0SANDBOX0", offerListingId: "x", fetchedAt: at.toISOString() };
    expect(snapshotOfOfferCheck({ ...check, status: "ok", buyable: false })).toEqual({
      buyable: false,
    });
    expect(Object.keys(stepScrapers["retailer_a.offer_check"].fieldTypes)).toEqual(["buyable"]);
  });
});

describe("the list of step scrapers", () => {
  const lite =
    "price listPrice inStock availabilityType merchant isFba offerListingId condition newCount " +
    "newMinPrice usedCount usedMinPrice deliveryDate rating";

  it.each([
    ["retailer_a.pulse", [0.25, 0.25], "newCount newMinPrice"],
    ["retailer_a.lite", [1, 1], lite],
    ["retailer_a.full", [5, 5], lite],
    ["retailer_a.offers", [1, 3], "offerCount buyboxSeller buyboxPrice lowestPrice"],
    ["retailer_a.offer_check", [0.5, 0.5], "buyable"],
    ["retailer_b.standard", [1, 1], "price listPrice inStock seller byPlatform clearance"],
    ["retailer_c.standard", [1, 1], "price regularPrice inStock shipping pickup"],
    ["retailer_d.standard", [1, 1], "price regularPrice inStock purchasable state"],
  ] as const)(
    "includes the scraper %s with the minimum and maximum price %j in credits and the testable fields %s",
    (id, credits, fields) => {
      const { leastQuarters, reserveQuarters, testableFields } = stepScrapers[id];
      expect([leastQuarters / 4, reserveQuarters / 4]).toEqual(credits);
      expect(testableFields.join(" ")).toBe(fields);
    },
  );

  it.each(stepScraperIds)("includes the scraper %s with a type for each of its fields", (id) => {
    const { testableFields, trackedFields, derivedFields, fieldTypes } = stepScrapers[id];
    const fields = new Set([...testableFields, ...trackedFields, ...derivedFields]);
    expect(Object.keys(fieldTypes)).toEqual([...fields]);
  });

  it.each(scraperIds)(
    "includes the scraper %s with the types that the fields of its readings have",
    (id) => {
      const { platform } = scrapers[id];
      const snapshot = read(id, platform === "retailer_a" ? "B0SANDBOX0" : "9000000");
      for (const [field, value] of Object.entries(snapshot)) {
        if (value !== null) expect(typeof value, field).toBe(stepScrapers[id].fieldTypes[field]);
      }
    },
  );
});

describe("the list of product scrapers", () => {
  it.each([
    ["retailer_a.pulse", "pulse", 0.25],
    ["retailer_a.lite", "product", 1],
    ["retailer_a.full", "product", 5],
    ["retailer_b.standard", "standard", 1],
    ["retailer_c.standard", "standard", 1],
    ["retailer_d.standard", "standard", 1],
  ] as const)(
    'includes the scraper %s with the kind of reading "%s" and the price %d in credits',
    (scraper, kind, credits) => {
      expect(scrapers[scraper]).toMatchObject({ kind, costQuarters: credits * 4 });
    },
  );
});
