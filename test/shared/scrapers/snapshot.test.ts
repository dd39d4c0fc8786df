import { describe, expect, it } from "vitest";
import { type ProductScraperId, scraperIds, scrapers } from "../../../shared/scrapers/catalogue.ts";
import type { Snapshot } from "../../../shared/scrapers/catalogue.ts";
import { snapshotOf } from "../../../shared/scrapers/snapshot.ts";
import { sandboxAnswer } from "../../../shared/sources/sandbox.ts";

const at = new Date("2026-03-01T12:00:00.000Z");

function read(scraper: ProductScraperId, id: string): Snapshot {
  const answer = sandboxAnswer({ scraper, marketplace: "us", id, at, seed: "test" });
  if (answer.status !== "ok") throw new Error(`${id} is always found`);
  return snapshotOf(scraper, answer.fields);
}

describe("a snapshot", () => {
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
  ] as const)("of %s holds what can be tracked or tested, flat", (scraper, snapshot) => {
    const id = scraper === "retailer_a.pulse" ? "B0SANDBOX0" : "9000000";
    expect(read(scraper, id)).toEqual(snapshot);
  });

  it.each(["retailer_a.lite", "retailer_a.full"] as const)(
    "of %s keeps the merchant by its id",
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

  it("of a listing without buy box holds null for everything that the buy box has", () => {
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

  it.each(scraperIds)("of %s has no field but the tracked and the testable ones", (scraper) => {
    const { platform, trackedFields, testableFields } = scrapers[scraper];
    const known: ReadonlySet<string> = new Set([...trackedFields, ...testableFields]);
    const snapshot = read(scraper, platform === "retailer_a" ? "B0SANDBOX0" : "9000000");
    for (const field of Object.keys(snapshot)) expect(known).toContain(field);
    for (const field of trackedFields) expect(snapshot).toHaveProperty(field);
  });

  it("leaves out what was not observed", () => {
    const fields = { title: "Lamp", retailer_d: { state: "SOLD_OUT" } };
    expect(snapshotOf("retailer_d.standard", fields)).toEqual({ state: "SOLD_OUT" });
  });

  it("keeps null as a value, of a field and of what holds it", () => {
    const fields = { price: null, retailer_d: { regularPrice: null } };
    expect(snapshotOf("retailer_d.standard", fields)).toEqual({ price: null, regularPrice: null });
  });

  it("takes no value that cannot be compared, nor one out of what holds nothing", () => {
    const fields = { price: { amount: { nested: 1 } }, availability: "yes" };
    expect(snapshotOf("retailer_d.standard", fields)).toEqual({});
  });
});

describe("the scrapers", () => {
  it.each([
    ["retailer_a.pulse", "pulse", 0.25],
    ["retailer_a.lite", "product", 1],
    ["retailer_a.full", "product", 5],
    ["retailer_b.standard", "standard", 1],
    ["retailer_c.standard", "standard", 1],
    ["retailer_d.standard", "standard", 1],
  ] as const)("%s reads a %s for %d credits", (scraper, kind, credits) => {
    expect(scrapers[scraper]).toMatchObject({ kind, costQuarters: credits * 4 });
  });
});
