import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../../shared/base/system.ts";
import type { Offer } from "../../../../shared/scrapers/offer.ts";
import type { OffersAnswer, OfferScraper } from "../../../../shared/scrapers/scraper.ts";
import {
  priceHistoryScraper,
  type PriceHistoryOptions,
} from "../../../../shared/sources/price-history/scraper.ts";
import { priceHistoryOffers } from "../../../../shared/sources/price-history/offers.ts";
import { offerScraperContract } from "../../../contracts/offer-scraper.contract.ts";
import {
  aListing,
  allNamed,
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

const dependencies = { client: plainClient, clock: systemClock, key: async () => apiKey };

const scraperOn = (baseUrl: string, options: Partial<PriceHistoryOptions> = {}): OfferScraper =>
  priceHistoryOffers({ baseUrl, ...options }, dependencies);

let double: ApiDouble;
const started: ApiDouble[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((one) => one.stop()));
});

type Json = Readonly<Record<string, unknown>>;
const listed = (id: string, offers: readonly unknown[], fields: Json = {}): Json =>
  aListing(id, {
    offersSuccessful: true,
    offers,
    stats: someStats({ buyBoxSellerId: "A1SELLER02", buyBoxIsFBA: true, buyBoxPrice: 1_999 }),
    ...fields,
  });
const someOffers = [
  anOffer(1, [1_899, 499]),
  anOffer(2, [1_999, 0], { isFBA: true }),
  anOffer(3, [1_050, -1], { condition: 3, conditionComment: "Light wear &amp; no box<br>" }),
];

async function readFrom(
  react: (call: HistoryCall) => ApiReaction,
  ids: readonly string[],
  { sellers = allNamed, withinMs = 10_000, ...options }: Setting = {},
): Promise<readonly OffersAnswer[]> {
  double = await startHistoryDouble(react, sellers);
  started.push(double);
  const deadline = new Date(Date.now() + withinMs);
  return scraperOn(double.url, options).readOffers({ marketplace: "us", ids, deadline });
}
interface Setting extends Partial<PriceHistoryOptions> {
  readonly withinMs?: number;
  readonly sellers?: (call: HistoryCall) => ApiReaction;
}

const asin = "B0HISTORY1";
const offersOf = async (product: Json, setting: Setting = {}): Promise<readonly Offer[]> => {
  const [answer] = await readFrom(
    () => ({ body: envelope({ products: [product] }) }),
    [asin],
    setting,
  );
  if (answer?.status !== "ok") throw new Error(`the offers are ${answer?.status}`);
  return answer.offers;
};
const answerTo = async (product: Json, setting: Setting = {}): Promise<OffersAnswer | undefined> =>
  (await readFrom(() => ({ body: envelope({ products: [product] }) }), [asin], setting))[0];
const asked = (path: string) => double.calls.filter((call) => call.path === path);

offerScraperContract("a_history", async () => {
  const source = await startHistoryDouble(({ ids }) => {
    if (ids.includes("B0SLOW0000")) return "hang";
    const products = ids
      .filter((id) => id !== "B0MISSING0")
      .map((id) => {
        if (id === "B0INVALID0") return { asin: id, productType: 4 };
        return listed(id, someOffers, { offersSuccessful: id !== "B0FAILED00", unknownCost: 3 });
      });
    return { body: envelope({ products }) };
  });
  return {
    scraper: scraperOn(source.url),
    ids: {
      ok: ["B0FOUND001", "B0FOUND002"],
      not_found: ["B0INVALID0"],
      unavailable: ["B0MISSING0", "B0FAILED00"],
    },
    slowId: "B0SLOW0000",
    stop: () => source.stop(),
  };
});

describe("the price history offers reader", () => {
  it("requests 20 IDs per call, and looks up all sellers of the returned offers in one call", async () => {
    const ids = Array.from({ length: 45 }, (_, n) => `B0${String(n).padStart(8, "0")}`);
    const answers = await readFrom(
      (call) => ({ body: envelope({ products: call.ids.map((id) => listed(id, someOffers)) }) }),
      ids,
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(["ok"]));
    const calls = asked("/product").map(({ query }) => query);
    const sizes = calls.map((query) => query.get("asin")?.split(",").length ?? 0);
    expect(sizes.toSorted((a, b) => b - a)).toEqual([20, 20, 5]);
    expect(calls[0]?.get("offers")).toBe("40");
    expect(calls[0]?.get("only-live-offers")).toBe("1");
    expect(calls[0]?.get("stats")).toBe("1");
    expect(calls[0]?.get("history")).toBe("0");
    expect(new Set(asked("/seller").map(({ query }) => query.get("seller")))).toEqual(
      new Set(["A1SELLER02,A1SELLER03,A1SELLER01"]),
    );
  });

  it("requests the configured number of offers of each listing", async () => {
    await offersOf(listed(asin, someOffers), { offersPerListing: 20 });
    expect(asked("/product")[0]?.query.get("offers")).toBe("20");
  });
});

describe("the mapping of price history offers", () => {
  it("returns the buy box offer first, then the other offers by price", async () => {
    const answer = await answerTo(listed(asin, someOffers));
    const [featured, used, cheap] = answer?.status === "ok" ? answer.offers : [];
    expect(answer).toEqual({
      id: asin,
      status: "ok",
      fetchedAt: answer?.fetchedAt,
      totalOffers: 6,
      offers: [
        {
          offerListingId: featured?.offerListingId,
          price: 19.99,
          currency: "USD",
          priceDisplay: "$19.99",
          shipping: 0,
          condition: "new",
          seller: { id: "A1SELLER02", name: "Shop A1SELLER02" },
          fulfillment: { isFba: true, fulfillerName: "Retailer A" },
          isBuybox: true,
        },
        {
          offerListingId: used?.offerListingId,
          price: 10.5,
          currency: "USD",
          priceDisplay: "$10.50",
          condition: "used_very_good",
          conditionNote: "Light wear & no box",
          seller: { id: "A1SELLER03", name: "Shop A1SELLER03" },
          fulfillment: { isFba: false, fulfillerName: "Shop A1SELLER03" },
          isBuybox: false,
        },
        {
          offerListingId: cheap?.offerListingId,
          price: 18.99,
          currency: "USD",
          priceDisplay: "$18.99",
          shipping: 4.99,
          condition: "new",
          seller: { id: "A1SELLER01", name: "Shop A1SELLER01" },
          fulfillment: { isFba: false, fulfillerName: "Shop A1SELLER01" },
          isBuybox: false,
        },
      ],
    });
  });

  it.each([
    [0, "other"],
    [1, "new"],
    [2, "used_like_new"],
    [3, "used_very_good"],
    [4, "used_good"],
    [5, "used_acceptable"],
    [6, "refurbished"],
    [7, "collectible_like_new"],
    [8, "collectible_very_good"],
    [9, "collectible_good"],
    [10, "collectible_acceptable"],
    [11, "other"],
    ["1", "new"],
    [null, "other"],
  ])('maps the source\'s condition %j to "%s"', async (code, condition) => {
    const [offer] = await offersOf(listed(asin, [anOffer(1, [100, 0], { condition: code })]));
    expect(offer?.condition).toBe(condition);
  });

  it("returns at most 31 offers, and the count of all offers", async () => {
    const many = Array.from({ length: 40 }, (_, n) => anOffer(n + 1, [5_000 - n, 0]));
    const answer = await answerTo(listed(asin, many));
    expect(answer).toMatchObject({ totalOffers: 40, offers: { length: 31 } });
    const offers = answer?.status === "ok" ? answer.offers : [];
    expect(offers[0]?.price).toBe(49.61);
  });

  it("returns each live offer once, and no other offers", async () => {
    const product = listed(asin, someOffers, { liveOffersOrder: [2, 0, 2, 99, -1] });
    expect((await offersOf(product)).map(({ seller }) => seller.id)).toEqual([
      "A1SELLER03",
      "A1SELLER01",
    ]);
  });

  it("counts an offer with an unknown price or seller, but does not return this offer", async () => {
    const offers = [
      anOffer(1, [-2, 0]),
      anOffer(5, [0, 0]),
      anOffer(2, [100, -2]),
      anOffer(3, [100, 0], { sellerId: null }),
      anOffer(4, [100, 0], { offerCSV: [1] }),
      null,
      "x",
    ];
    const answer = await answerTo(
      listed(asin, offers, { stats: someStats({ totalOfferCount: -2 }) }),
    );
    expect(answer).toMatchObject({ status: "ok", totalOffers: 5, offers: [{ price: 1 }] });
    expect(answer).not.toHaveProperty("offers.0.shipping");
  });

  it("returns the configured name as the seller and shipper of the retailer's own offer", async () => {
    const own = anOffer(1, [100, 0], { isAmazon: true });
    const [offer] = await offersOf(listed(asin, [own]), { retailerName: "The Shop" });
    expect(offer).toMatchObject({
      seller: { name: "The Shop" },
      fulfillment: { isFba: true, fulfillerName: "The Shop" },
    });
    expect(asked("/seller")).toEqual([]);
  });

  it("marks no offer as the buy box if the buy box is empty or the reply lacks its offer", async () => {
    const unqualified = someStats({ buyBoxIsUnqualified: true, buyBoxSellerId: "A1SELLER02" });
    const other = someStats({ buyBoxSellerId: "A1STRANGER" });
    for (const stats of [unqualified, other]) {
      const offers = await offersOf(listed(asin, someOffers, { stats }));
      expect(offers.filter(({ isBuybox }) => isBuybox)).toEqual([]);
      expect(offers.map(({ price }) => price)).toEqual([10.5, 18.99, 19.99]);
    }
  });

  it("returns no offers for a parent listing", async () => {
    const answer = await answerTo(aListing(asin, { productType: 5, stats: null }));
    expect(answer).toMatchObject({ status: "ok", totalOffers: 0, offers: [] });
  });

  it.each([false, null, undefined, "no"])(
    'returns "unavailable" if the source could not read the offers (offersSuccessful: %j)',
    async (offersSuccessful) => {
      const answer = await answerTo(listed(asin, someOffers, { offersSuccessful }));
      expect(answer?.status).toBe("unavailable");
    },
  );

  it('returns "unavailable" if the source read the offers more than a day ago', async () => {
    const lastUpdate = lookedAt - 24 * 60;
    const answer = await answerTo(listed(asin, someOffers, { lastUpdate }));
    expect(answer).toEqual({ id: asin, status: "unavailable", fetchedAt: answer?.fetchedAt });
    expect((await answerTo(listed(asin, someOffers, { lastUpdate: lookedAt - 60 })))?.status).toBe(
      "ok",
    );
  });

  it("returns the ID of a seller as its name if the source has no name", async () => {
    const sellers = () => ({ body: envelope({ sellers: {} }) });
    const [offer] = await offersOf(listed(asin, someOffers), { sellers });
    expect(offer?.seller).toEqual({ id: "A1SELLER02", name: "A1SELLER02" });
  });

  it('returns "unavailable" if the source did not return the names of the sellers', async () => {
    const answer = await answerTo(listed(asin, someOffers), { sellers: () => ({ status: 404 }) });
    expect(answer?.status).toBe("unavailable");
  });
});

describe("the offer IDs of the price history adapter", () => {
  const ids = async (offers: readonly Json[], fields: Json = {}): Promise<string[]> =>
    (await offersOf(listed(asin, offers, fields))).map(({ offerListingId }) => offerListingId);

  it("are URL-safe and contain no price", async () => {
    const before = await ids(someOffers);
    const after = await ids([
      anOffer(1, [1_500, 0]),
      anOffer(2, [2_500, 100], { isFBA: true }),
      anOffer(3, [900, 0], { condition: 3 }),
    ]);
    expect(after.toSorted()).toEqual(before.toSorted());
    expect(new Set(before).size).toBe(3);
    for (const id of before) expect(id).toMatch(/^o1\.[\w-]+$/);
  });

  it("differ for offers that differ only in their number", async () => {
    const alike = [4, 9, 7].map((n) =>
      anOffer(n, [1_000 + n, 0], { sellerId: "A1SAMESHOP", condition: 4 }),
    );
    const three = await ids(alike);
    expect(new Set(three).size).toBe(3);
    // The source numbers the offers of a listing, here 4, 9 and 7. After offer 9 is removed, the
    // other offers keep their IDs, in any order.
    expect(await ids([alike[2] ?? {}, alike[0] ?? {}])).toEqual([three[0], three[1]]);
  });

  it("equal the ID that a product read returns for the buy box", async () => {
    const [featured] = await offersOf(listed(asin, someOffers));
    const [product] = await priceHistoryScraper({ baseUrl: double.url }, dependencies).read({
      scraper: "retailer_a.lite",
      marketplace: "us",
      ids: [asin],
      deadline: new Date(Date.now() + 5_000),
    });
    expect(product).toMatchObject({
      fields: { retailer_a: { buybox: { offerListingId: featured?.offerListingId } } },
    });
  });
});

it("the price history offers reader returns no fields that the specification does not name", async () => {
  let extra: Json = {};
  double = await startHistoryDouble(() => ({
    body: envelope({
      ...extra,
      products: [
        listed(
          asin,
          someOffers.map((offer) => Object.assign({ ...extra }, offer)),
          extra,
        ),
      ],
    }),
  }));
  started.push(double);
  const scraper = scraperOn(double.url);
  const read = async (): Promise<OffersAnswer | undefined> => {
    const deadline = new Date(Date.now() + 10_000);
    return (await scraper.readOffers({ marketplace: "us", ids: [asin], deadline }))[0];
  };
  const plain = await read();
  // Random fields, whose names no real reply contains.
  const name = fc.string({ minLength: 1 }).map((text) => `~${text}`);
  await fc.assert(
    fc.asyncProperty(fc.dictionary(name, fc.jsonValue()), async (fields) => {
      extra = fields;
      expect(await read()).toEqual(plain);
    }),
    { numRuns: 40 },
  );
});
