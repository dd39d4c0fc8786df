import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../shared/base/system.ts";
import type { OfferCheckAnswer } from "../../../../shared/scrapers/scraper.ts";
import { priceHistoryScraper } from "../../../../shared/sources/price-history/scraper.ts";
import { priceHistoryOfferChecker } from "../../../../shared/sources/price-history/offer-check.ts";
import { historyOfferId } from "../../../../shared/sources/price-history/offer-id.ts";
import { priceHistoryOffers } from "../../../../shared/sources/price-history/offers.ts";
import { offerCheckerContract } from "../../../contracts/offer-scraper.contract.ts";
import {
  aListing,
  anOffer,
  apiKey,
  envelope,
  type HistoryCall,
  lookedAt,
  someStats,
  startHistoryDouble,
} from "./double.ts";
import type { ApiDouble, ApiReaction } from "../api-double.ts";
import { plainClient } from "../plain-client.ts";

type Json = Readonly<Record<string, unknown>>;

const dependencies = { client: plainClient, clock: systemClock, key: async () => apiKey };

let double: ApiDouble;
const started: ApiDouble[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()));
});

const asin = "B0HISTORY1";
/** Returns a listing with the given offers. The seller of the second offer has the buy box. */
const listed = (id: string, offers: readonly unknown[], fields: Json = {}): Json =>
  aListing(id, {
    offersSuccessful: true,
    offers,
    stats: statsOf(offers.length),
    ...fields,
  });
const statsOf = (totalOfferCount: number, fields: Json = {}): Json =>
  someStats({ buyBoxSellerId: "A1SELLER02", buyBoxIsFBA: true, totalOfferCount, ...fields });
const someOffers = [
  anOffer(1, [1_899, 499]),
  anOffer(2, [1_999, 0], { isFBA: true }),
  anOffer(3, [1_050, -1], { condition: 3 }),
];
const idOf = (seller: string, fields: Json = {}): string =>
  historyOfferId({ listing: asin, sellerId: seller, condition: "new", isFba: false, ...fields });
const firstId = idOf("A1SELLER01");
const featuredId = idOf("A1SELLER02", { isFba: true });

async function begin(react: (call: HistoryCall) => ApiReaction): Promise<void> {
  double = await startHistoryDouble(react);
  started.push(double);
}

async function check(offers: readonly (readonly [asin: string, id: string])[]) {
  const checker = priceHistoryOfferChecker({ baseUrl: double.url }, dependencies);
  const deadline = new Date(Date.now() + 10_000);
  return checker.checkOffers({
    marketplace: "us",
    offers: offers.map(([listing, offerListingId]) => ({ asin: listing, offerListingId })),
    deadline,
  });
}

/**
 * Checks the offer with this ID when the source returns `product`. Returns whether the offer is
 * buyable, or the status of the answer if that is not `ok`.
 */
async function verdict(id: string, product: Json): Promise<boolean | string | undefined> {
  await begin(() => ({ body: envelope({ products: [product] }) }));
  const [answer] = await check([[asin, id]]);
  return verdictOf(answer);
}
const verdictOf = (answer: OfferCheckAnswer | undefined): boolean | string | undefined =>
  answer?.status === "ok" ? answer.buyable : answer?.status;

offerCheckerContract("a_history", async () => {
  const source = await startHistoryDouble(({ ids }) => {
    if (ids.includes("B0SLOW0000")) return "hang";
    const products = ids
      .filter((id) => id !== "B0MISSING0")
      .map((id) =>
        id === "B0INVALID0"
          ? { asin: id, productType: 4 }
          : listed(id, someOffers, { offersSuccessful: id !== "B0FAILED00" }),
      );
    return { body: envelope({ products }) };
  });
  const offerOn = (listing: string, sellerId = "A1SELLER01", own = listing) => ({
    asin: listing,
    offerListingId: historyOfferId({ listing: own, sellerId, condition: "new", isFba: false }),
  });
  return {
    checker: priceHistoryOfferChecker({ baseUrl: source.url }, dependencies),
    offers: {
      buyable: [offerOn("B0FOUND001"), offerOn("B0FOUND002")],
      gone: [
        offerOn("B0FOUND001", "A1SELLER09"),
        offerOn("B0INVALID0"),
        offerOn("B0FOUND001", "A1SELLER01", "B0FOUND002"),
        { asin: "B0FOUND001", offerListingId: "made up" },
      ],
      unavailable: [offerOn("B0MISSING0"), offerOn("B0FAILED00")],
    },
    slowOffer: offerOn("B0SLOW0000"),
    stop: () => source.stop(),
  };
});

describe("the price history offer checker", () => {
  it("reads each listing once, with 20 listings per call, and skips offer IDs that name another listing", async () => {
    await begin(({ ids }) => ({
      body: envelope({ products: ids.map((id) => listed(id, someOffers)) }),
    }));
    const listings = Array.from({ length: 25 }, (_, n) => `B0${String(n).padStart(8, "0")}`);
    const pairs = listings.flatMap((listing) => {
      const ids = ["A1SELLER01", "A1SELLER09"].map((sellerId) =>
        historyOfferId({ listing, sellerId, condition: "new", isFba: false }),
      );
      return ids.map((id) => [listing, id] as const);
    });
    const answers = await check([...pairs, ["B0FOREIGN0", firstId], ["B0FOREIGN0", "o1.e30"]]);
    expect(answers.map(verdictOf)).toEqual([
      ...listings.flatMap(() => [true, false]),
      false,
      false,
    ]);
    const asked = double.calls.map(({ query }) => query.get("asin")?.split(",") ?? []);
    expect(asked.map(({ length }) => length).toSorted((a, b) => b - a)).toEqual([20, 5]);
    expect(new Set(asked.flat())).toEqual(new Set(listings));
    expect(double.calls[0]?.query.get("only-live-offers")).toBe("1");
    expect(double.calls[0]?.query.get("offers")).toBe("40");
  });

  it("returns the time at which the source read the listing", async () => {
    await begin(() => ({ body: envelope({ products: [listed(asin, someOffers)] }) }));
    const [answer] = await check([[asin, firstId]]);
    expect(answer?.fetchedAt).toBe(new Date((lookedAt + 21_564_000) * 60_000).toISOString());
  });
});

describe("the price history offer checker for an offer", () => {
  it("accepts every offer ID that a read of offers returns", async () => {
    const alike = [4, 9, 7].map((n) =>
      anOffer(n, [1_000 + n, 0], { sellerId: "A1SAMESHOP", condition: 4 }),
    );
    await begin(() => ({
      body: envelope({ products: [listed(asin, [...someOffers, ...alike])] }),
    }));
    const reading = { marketplace: "us", ids: [asin], deadline: new Date(Date.now() + 10_000) };
    const [read] = await priceHistoryOffers({ baseUrl: double.url }, dependencies).readOffers(
      reading,
    );
    const ids = read?.status === "ok" ? read.offers.map((offer) => offer.offerListingId) : [];
    expect(new Set(ids).size).toBe(6);
    const answers = await check(ids.map((id) => [asin, id]));
    expect(answers.map(verdictOf)).toEqual(ids.map(() => true));
  });

  it("accepts the offer ID that a product read returns for the buy box", async () => {
    await begin(() => ({ body: envelope({ products: [listed(asin, someOffers)] }) }));
    const [product] = await priceHistoryScraper({ baseUrl: double.url }, dependencies).read({
      scraper: "retailer_a.lite",
      marketplace: "us",
      ids: [asin],
      deadline: new Date(Date.now() + 10_000),
    });
    expect(product).toMatchObject({
      fields: { retailer_a: { buybox: { offerListingId: featuredId } } },
    });
    expect((await check([[asin, featuredId]])).map(verdictOf)).toEqual([true]);
  });

  it("returns buyable for an offer ID with a number only if the seller has a single offer left, with this number", async () => {
    const numbered = idOf("A1SAMESHOP", { number: 9 });
    const alike = (n: number): Json => anOffer(n, [1_000, 0], { sellerId: "A1SAMESHOP" });
    expect(await verdict(numbered, listed(asin, [alike(9)]))).toBe(true);
    expect(await verdict(numbered, listed(asin, [alike(4)]))).toBe(false);
  });

  it("returns buyable if the source lists the offer without a known price", async () => {
    const hidden = anOffer(1, [-2, 0]);
    expect(await verdict(firstId, listed(asin, [hidden]))).toBe(true);
  });

  it("returns not buyable if the offer has ended", async () => {
    const product = listed(asin, someOffers, { liveOffersOrder: [1, 2], stats: statsOf(2) });
    expect(await verdict(firstId, product)).toBe(false);
  });

  it("returns not buyable if the offer ID names another condition or shipper than the listed offer", async () => {
    const product = listed(asin, someOffers);
    expect(await verdict(idOf("A1SELLER01", { condition: "used_good" }), product)).toBe(false);
    expect(await verdict(idOf("A1SELLER01", { isFba: true }), product)).toBe(false);
  });

  it.each([
    ["out of stock", { buyBoxAvailabilityMessage: "Temporarily out of stock." }, false],
    ["not available", { buyBoxAvailabilityMessage: "Currently unavailable." }, false],
    ["scarce", { buyBoxAvailabilityMessage: "Only 2 left in stock" }, true],
    ["back-ordered", { buyBoxIsBackorder: true, buyBoxIsShippable: false }, true],
    ["a pre-order", { buyBoxIsPreorder: true, buyBoxIsShippable: false }, true],
    ["not shippable", { buyBoxIsShippable: false }, false],
    [
      "not shippable, although its message names a delivery time",
      { buyBoxIsShippable: false, buyBoxAvailabilityMessage: "Usually ships within 3 days" },
      false,
    ],
    [
      "shippable from a future day on",
      { buyBoxIsShippable: false, buyBoxAvailabilityMessage: "In stock on May 3" },
      true,
    ],
  ] as const)(
    "that is in the buy box and is %s, with the source values %j, returns 'buyable' %s",
    async (_, fields, buyable) => {
      const product = listed(asin, someOffers, { stats: statsOf(3, fields) });
      expect(await verdict(featuredId, product)).toBe(buyable);
      // The availability message concerns only the offer in the buy box.
      expect(await verdict(firstId, product)).toBe(true);
    },
  );

  it.each<[string, Json, boolean]>([
    ["not shippable", { isShippable: false }, false],
    ["a preorder that is not yet shippable", { isShippable: false, isPreorder: true }, true],
    ["shippable", { isShippable: true }, true],
  ])(
    "that is outside the buy box uses the state of the offer itself (the offer is %s)",
    async (_, fields, buyable) => {
      const offers = [anOffer(1, [1_899, 499], fields), ...someOffers.slice(1)];
      expect(await verdict(firstId, listed(asin, offers))).toBe(buyable);
    },
  );

  it("returns buyable if at least one of several offers with the same ID is shippable", async () => {
    const alike = [false, true].map((isShippable, n) =>
      anOffer(4 + n, [1_000, 0], { sellerId: "A1SAMESHOP", isShippable }),
    );
    expect(await verdict(idOf("A1SAMESHOP"), listed(asin, alike))).toBe(true);
    expect(await verdict(idOf("A1SAMESHOP", { number: 4 }), listed(asin, alike))).toBe(false);
  });

  it("uses the state of the offer itself if the buy box has no state", async () => {
    const silent = { buyBoxIsShippable: undefined, buyBoxAvailabilityMessage: undefined };
    const of = (isShippable: boolean): Json =>
      listed(asin, [anOffer(2, [1_999, 0], { isFBA: true, isShippable })], {
        stats: statsOf(1, silent),
      });
    expect(await verdict(featuredId, of(true))).toBe(true);
    expect(await verdict(featuredId, of(false))).toBe(false);
  });

  it('returns "unavailable" if the listing is invalid in a reply that reports an error', async () => {
    const products = [{ asin, productType: 4 }];
    await begin(() => ({ body: envelope({ products, error: { message: "down" } }) }));
    const reading = { marketplace: "us", ids: [asin], deadline: new Date(Date.now() + 10_000) };
    const source = priceHistoryOffers({ baseUrl: double.url }, dependencies);
    const [listing] = await source.readOffers(reading);
    expect(listing?.status).toBe("unavailable");
    expect((await check([[asin, firstId]])).map(verdictOf)).toEqual(["unavailable"]);
  });

  it("returns not buyable for an offer of a parent listing", async () => {
    const product = aListing(asin, { productType: 5, offers: [] });
    expect(await verdict(firstId, product)).toBe(false);
  });
});

it('the price history offer checker returns "unavailable" for an offer that the source read more than a day ago', async () => {
  const old = listed(asin, someOffers, { lastUpdate: lookedAt - 24 * 60 });
  expect(await verdict(firstId, old)).toBe("unavailable");
});

describe("the price history offer checker for an offer that the reply lacks", () => {
  const goneId = idOf("A1SELLER09");
  it.each([
    ["has more offers than the source has read", { stats: statsOf(4) }],
    ["has an unknown number of offers", { stats: statsOf(-2) }],
    ["has no statistics", { stats: null }],
    ["has an invalid offer", { offers: [...someOffers, null] }],
    ["has a live offer that is missing", { liveOffersOrder: [0, 1, 2, 3] }],
    [
      "has an offer of an unknown seller",
      { offers: [...someOffers, anOffer(4, [1, 0], { sellerId: null })], stats: statsOf(4) },
    ],
    ["could not be read", { offersSuccessful: false }],
    ["was read more than a day ago", { lastUpdate: lookedAt - 24 * 60 }],
  ])(
    'returns "unavailable" if the reply does not prove that the offer has ended (the listing %s)',
    async (_, fields) => {
      expect(await verdict(goneId, listed(asin, someOffers, fields))).toBe("unavailable");
    },
  );

  it("returns not buyable if the reply has all offers of the listing", async () => {
    expect(await verdict(goneId, listed(asin, someOffers))).toBe(false);
    expect(await verdict(goneId, listed(asin, []))).toBe(false);
  });
});
