import * as v from "valibot";
import { describe, expect, it } from "vitest";
import type { ConditionFilter } from "../../../shared/scrapers/offer.ts";
import {
  type OffersResult,
  offersResultSchema,
  presentOffers,
} from "../../../shared/items/offers-result.ts";
import { type Offer, offerConditions } from "../../../shared/scrapers/offer.ts";
import { offerOf } from "./offer-data.ts";

const id = "B00EXAMPLE";
const fetchedAt = "2026-03-01T12:00:00.000Z";

const present = (
  offers: readonly Offer[],
  {
    condition = "all",
    totalOffers = offers.length,
  }: {
    condition?: ConditionFilter;
    totalOffers?: number;
  } = {},
): OffersResult => presentOffers({ id, status: "ok", fetchedAt, totalOffers, offers }, condition);

const listingIds = ({ offers }: OffersResult): string[] =>
  offers.map(({ offerListingId }) => offerListingId);

describe("the offers of a listing", () => {
  it("are returned with all fields: the featured offer first, then the others by price", () => {
    const offers = [
      offerOf({ offerListingId: "dear", price: 30 }),
      offerOf({ offerListingId: "shipped", price: 10, shipping: 3.99 }),
      offerOf({ offerListingId: "featured", price: 20, isBuybox: true, shipping: 0 }),
      offerOf({ offerListingId: "cheap", price: 10, shipping: 0, conditionNote: "As new" }),
    ];
    const result = present(offers);
    expect(result).toEqual({
      id,
      asin: id,
      status: "ok",
      fetchedAt,
      buyboxOfferListingId: "featured",
      totalOffers: 4,
      offers: [offers[2], offers[3], offers[1], offers[0]],
    });
    expect(v.is(offersResultSchema, result)).toBe(true);
  });

  it("have no featured offer ID if none is featured", () => {
    expect(present([offerOf()])).not.toHaveProperty("buyboxOfferListingId");
  });

  it.each<[ConditionFilter, string[]]>([
    ["all", [...offerConditions]],
    ["new", ["new"]],
    ["used", offerConditions.filter((condition) => condition !== "new")],
  ])(
    'with the condition filter "%s" have the conditions %j, and the offer count includes all conditions',
    (condition, shown) => {
      const offers = offerConditions.map((one, n) =>
        offerOf({ offerListingId: one, condition: one, price: n }),
      );
      const result = present(offers, { condition });
      expect(listingIds(result)).toEqual(shown);
      expect(result.totalOffers).toBe(offerConditions.length);
    },
  );

  it("include the ID of the featured offer even if the condition filter excludes this offer", () => {
    const offers = [
      offerOf({ offerListingId: "featured", isBuybox: true }),
      offerOf({ offerListingId: "used", condition: "used_good" }),
    ];
    const result = present(offers, { condition: "used" });
    expect(result.buyboxOfferListingId).toBe("featured");
    expect(listingIds(result)).toEqual(["used"]);
  });

  it("are limited to the first 31 of all offers before the condition filter is applied", () => {
    const crowd = Array.from({ length: 40 }, (_, n) =>
      offerOf({ offerListingId: String(n), price: n, condition: n < 30 ? "new" : "used_good" }),
    );
    const featured = offerOf({ offerListingId: "featured", price: 99, isBuybox: true });
    const offers = [...crowd, featured];
    const all = present(offers, { totalOffers: 4_286 });
    expect(all.totalOffers).toBe(4_286);
    expect(listingIds(all)).toEqual(["featured", ...Array.from({ length: 30 }, (_, n) => `${n}`)]);
    expect(listingIds(present(offers, { condition: "used" }))).toEqual([]);
  });

  it("have a count that is at least the number of returned offers", () => {
    expect(present([offerOf(), offerOf()], { totalOffers: 0 }).totalOffers).toBe(2);
  });
});

describe("the offers result of a listing without offers", () => {
  it.each([
    ["not_found", { totalOffers: 0, offers: [] }],
    ["unavailable", { offers: [] }],
  ] as const)('with the status "%s" contains %j', (status, more) => {
    const result = presentOffers({ id, status, fetchedAt }, "all");
    expect(result).toEqual({ id, asin: id, status, fetchedAt, ...more });
    expect(v.is(offersResultSchema, result)).toBe(true);
  });
});
