import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { stepScraperIds } from "../../../../shared/scrapers/catalog.ts";
import { upstreamData } from "../../../../shared/sources/upstream/contract.ts";
import { offersFrom, productFrom } from "../../../../shared/sources/upstream/result-data.ts";
import { readShape } from "../../../../shared/sources/upstream/shape.ts";

/** Field names of the schema, so that random objects contain some of its fields. */
const names = Object.keys(upstreamData["retailer_a.full"].entries);
const anything = fc.oneof(
  fc.jsonValue(),
  fc.dictionary(
    fc.constantFrom(...names, "amount", "currency", "buybox", "__proto__"),
    fc.jsonValue(),
  ),
);

const offer = {
  price: 5,
  currency: "USD",
  priceDisplay: "$5.00",
  condition: "new",
  seller: { id: "S1", name: "Shop" },
  fulfillment: { isFba: true, fulfillerName: "Shop" },
  isBuybox: true,
};

describe("the reader of the data in an upstream reply", () => {
  it.each(stepScraperIds)(
    "returns either data that match the schema of the scraper %s, or undefined",
    (scraper) => {
      const schema: v.GenericSchema = upstreamData[scraper];
      fc.assert(
        fc.property(anything, (value) => {
          const read = readShape(schema, value);
          expect(read === undefined || v.is(schema, read)).toBe(true);
          // The result contains only what the schema allows, so parsing it by the schema changes
          // nothing.
          if (read !== undefined) expect(v.parse(schema, read)).toEqual(read);
        }),
        { numRuns: 200 },
      );
    },
  );

  it("drops values that do not match the schema, and the objects that require these values", () => {
    const data = {
      title: 7,
      url: "javascript:alert(1)",
      price: { amount: -3, currency: "USD" },
      availability: { inStock: "true", message: " In stock " },
      images: ["http://a.example/1.jpg", "not an address"],
      retailer_a: {
        newCount: "2.5",
        newMinPrice: null,
        buybox: { offerListingId: "x" },
        delivery: { date: "tomorrow", message: "soon", free: true },
        reviewsCount: "1204",
      },
    };
    expect(productFrom("retailer_a.full", data, "USD")).toEqual({
      status: "partial",
      fields: {
        availability: { inStock: true, message: "In stock" },
        retailer_a: { newMinPrice: null, reviewsCount: 1204 },
      },
    });
  });

  it("removes control characters and direction marks from texts", () => {
    const data = {
      title: "A\u0000 kettle\n\u202Eelttek\u202C\u2066!\u2069\u0007",
      availability: { inStock: true, message: "\u0000In\tstock\u0085" },
    };
    expect(productFrom("retailer_d.standard", data, "USD")?.fields).toMatchObject({
      title: "A kettle elttek!",
      availability: { message: "In stock" },
    });
    const unseen = productFrom("retailer_d.standard", { title: "\u0000\u202E" }, "USD");
    expect(unseen?.fields).not.toHaveProperty("title");
  });

  it("accepts an empty stock message", () => {
    const data = { title: "A", availability: { inStock: false, message: "" } };
    expect(productFrom("retailer_c.standard", data, "USD")?.status).toBe("ok");
  });

  it("keeps the first of several offers with the same ID", () => {
    const offers = [
      { ...offer, offerListingId: "x", isBuybox: false },
      { ...offer, offerListingId: "x", price: 6 },
      { ...offer, offerListingId: "y", price: 7 },
    ];
    const found = offersFrom({ totalOffers: 3, offers }, "USD");
    expect(found?.offers).toMatchObject([
      { offerListingId: "x", price: 5, isBuybox: false },
      { offerListingId: "y", price: 7, isBuybox: true },
    ]);
  });

  it("never shortens an offer ID", () => {
    const listing = (offerListingId: string): object => ({
      totalOffers: 1,
      offers: [{ ...offer, offerListingId }],
    });
    expect(offersFrom(listing(" a/b+c= "), "USD")?.offers[0]?.offerListingId).toBe(" a/b+c= ");
    for (const id of ["x".repeat(1_001), "a\u0000b", ""]) {
      expect(offersFrom(listing(id), "USD")).toBeNull();
    }
    expect(
      offersFrom({ totalOffers: 2, offers: [{ ...offer, offerListingId: "y" }, {}] }, "USD"),
    ).toBeNull();
  });
});
