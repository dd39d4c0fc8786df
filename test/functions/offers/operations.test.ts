import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Customer, type OffersWorld, startOffersWorld } from "./offers-world.ts";

let world: OffersWorld;
let customer: Customer;
const granted = 1_000;
beforeAll(async () => {
  world = await startOffersWorld();
});
afterAll(() => world.stop());
beforeEach(async () => {
  customer = await world.customer(granted);
});

/**
 * IDs of sandbox listings: with two offers, with 45 offers, without offers, one that does not
 * exist, and one that the sandbox never answers.
 */
const [two, many, none, missing, unread] = [
  "B0SANDBOX0",
  "B0SANDBOXM",
  "B0SANDBOXP",
  "B0SANDBOX7",
  "B0SANDBOX6",
];
const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `B${String(n).padStart(9, "0")}`);

describe("POST /v1/offers", () => {
  describe("returns 200 and", () => {
    it("charges 3 credits for a listing with several offers, 1 credit for a listing with at most one offer, and nothing for an unavailable listing", async () => {
      const ids = [two, many, none, missing, unread];
      const { status, headers, body } = await customer.call("POST /v1/offers", { ids });
      expect(status).toBe(200);
      expect(body.results.map(({ id, status: result }) => [id, result])).toEqual([
        [two, "ok"],
        [many, "ok"],
        [none, "ok"],
        [missing, "not_found"],
        [unread, "unavailable"],
      ]);
      expect(body.stats).toMatchObject({
        requested: 5,
        ok: 3,
        partial: 0,
        notFound: 1,
        unavailable: 1,
      });
      expect(body).not.toHaveProperty("tier");
      expect(body.credits).toBe(3 + 3 + 1 + 1);
      expect(headers.get("x-service-credits")).toBe("8");
      expect(headers.get("x-service-balance")).toBe(String(granted - 8));
      expect(await customer.balance()).toBe(granted - 8);
    });

    it("returns 31 of a listing's 45 offers: the featured offer first, then the cheapest ones in the order of their prices", async () => {
      const { body } = await customer.call("POST /v1/offers", { ids: [many] });
      const [result] = body.results;
      const [featured, ...rest] = result?.offers ?? [];
      expect(result?.totalOffers).toBe(45);
      expect(rest).toHaveLength(30);
      expect(featured).toMatchObject({
        isBuybox: true,
        offerListingId: result?.buyboxOfferListingId,
      });
      const prices = rest.map(({ price }) => price);
      expect(prices).toEqual(prices.toSorted((a, b) => a - b));
    });

    it("names the featured offer even when the condition filter excludes this offer", async () => {
      const { body } = await customer.call("POST /v1/offers", { ids: [two], condition: "used" });
      const [result] = body.results;
      expect(result?.buyboxOfferListingId).toEqual(expect.any(String));
      expect(result?.totalOffers).toBe(2);
      expect(result?.offers.map(({ condition }) => condition)).not.toContain("new");
      expect(result?.offers).toHaveLength(1);
    });

    it("returns neither offers nor a count for a listing that could not be read", async () => {
      const { body } = await customer.call("POST /v1/offers", { ids: [unread] });
      const [result] = body.results;
      expect(result).toEqual({
        id: unread,
        asin: unread,
        status: "unavailable",
        fetchedAt: expect.any(String),
        offers: [],
      });
      expect(body.credits).toBe(0);
    });

    it("accepts 'asins' instead of 'ids', and reads and charges a repeated item once", async () => {
      const asins = [two.toLowerCase(), "", ` ${two} `];
      const { body } = await customer.call("POST /v1/offers", { asins });
      expect(body.results.map(({ asin }) => asin)).toEqual([two]);
      expect(body.credits).toBe(3);
    });

    it("reads a hundred listings in one call", async () => {
      const { body } = await customer.call("POST /v1/offers", { ids: numbered(100) });
      expect(body.results.map(({ id }) => id)).toEqual(numbered(100));
    });
  });

  describe("returns 400", () => {
    it.each([
      ["MISSING_PARAM", "ids", {}],
      ["INVALID_PARAM", "ids", { ids: [] }],
      ["INVALID_PARAM", "ids", { ids: numbered(101) }],
      ["INVALID_PARAM", "ids[1]", { ids: [two, "B0"] }],
      ["INVALID_PARAM", "asins[0]", { asins: ["B0"] }],
      ["INVALID_PARAM", "condition", { ids: [two], condition: "mint" }],
      ["INVALID_PARAM", "platform", { platform: "retailer_z", ids: [two] }],
      ["INVALID_PARAM", "marketplace", { marketplace: "zz", ids: [two] }],
    ])(
      "with the code %s for the parameter '%s' of the body %j, and charges nothing",
      async (code, param, body) => {
        const answer = await customer.call("POST /v1/offers", body);
        expect(answer.status).toBe(400);
        expect(answer.body.error).toMatchObject({ code, param });
        expect(answer.headers.get("x-service-credits")).toBe("0");
        expect(await customer.balance()).toBe(granted);
      },
    );
  });

  describe("returns 402", () => {
    it("when the balance does not cover 3 credits for every ID", async () => {
      const poor = await world.customer(5);
      const answer = await poor.call("POST /v1/offers", { ids: [none, missing] });
      expect(answer.status).toBe(402);
      expect(answer.body.error.code).toBe("INSUFFICIENT_CREDITS");
      expect(await poor.balance()).toBe(5);
    });

    it("when 3 credits for every ID exceed 'max_credits', and charges nothing", async () => {
      const careful = await world.customer(10);
      const body = { ids: [none, missing], max_credits: 5 };
      const answer = await careful.call("POST /v1/offers", body);
      expect(answer.status).toBe(402);
      expect(answer.body.error).toMatchObject({ code: "INVALID_PARAM", param: "max_credits" });
      expect(await careful.balance()).toBe(10);
    });
  });

  describe("returns 403", () => {
    it("to the demo workspace, even if the call has other errors", async () => {
      const demo = await world.customer(granted, { demo: true });
      expect((await demo.call("POST /v1/offers", { ids: [two] })).status).toBe(403);
      expect((await demo.call("POST /v1/offers", { ids: [] })).status).toBe(403);
    });
  });

  describe("returns 501 and", () => {
    it.each([
      { platform: "retailer_b", ids: ["12345"] },
      { platform: "retailer_e", ids: ["1"] },
      { marketplace: "uk", ids: [two] },
    ])(
      "returns 'coming_soon' for the announced feature in the body %j, and charges nothing",
      async (body) => {
        const answer = await customer.call("POST /v1/offers", body);
        expect(answer.status).toBe(501);
        expect(answer.body).toMatchObject({
          error: { code: "NOT_IMPLEMENTED" },
          coming_soon: true,
        });
        expect(await customer.balance()).toBe(granted);
      },
    );
  });
});

describe("the ledger entry of an offers call", () => {
  it("contains the route of the call as its source", async () => {
    const { body } = await customer.call("POST /v1/offers", { ids: [two] });
    const offerListingId = body.results[0]?.offers[0]?.offerListingId;
    await customer.call(`GET /v1/products/${two}/offers`);
    await customer.call("POST /v1/offers/check", { offers: [{ asin: two, offerListingId }] });

    const ledger = await customer.call("GET /v1/credit_transactions?type=charge");

    expect(ledger.body).toMatchObject({
      data: [
        { endpoint: "POST /v1/offers/check" },
        { endpoint: "GET /v1/products/{id}/offers" },
        { endpoint: "POST /v1/offers" },
      ],
    });
  });
});

describe("POST /v1/offers/check", () => {
  /** Reads the offers of a listing through the service, which charges for it. */
  async function returned(id: string): Promise<{ asin: string; offerListingId: string }[]> {
    const { body } = await customer.call("POST /v1/offers", { ids: [id] });
    return (body.results[0]?.offers ?? []).map(({ offerListingId }) => ({
      asin: id,
      offerListingId,
    }));
  }

  describe("returns 200 and", () => {
    it("reports offers of a listing as buyable, and charges half a credit for each, rounded up once per call", async () => {
      const offers = await returned(many);
      const before = await customer.balance();
      const answer = await customer.call("POST /v1/offers/check", { offers });
      expect(answer.status).toBe(200);
      expect(answer.body.results).toEqual(
        offers.map(({ asin, offerListingId }) => ({
          id: offerListingId,
          asin,
          offerListingId,
          status: "ok",
          fetchedAt: expect.any(String),
          buyable: true,
        })),
      );
      expect(answer.body).not.toHaveProperty("tier");
      expect(answer.body.credits).toBe(16);
      expect(answer.headers.get("x-service-credits")).toBe("16");
      expect(answer.headers.get("x-service-balance")).toBe(String((before ?? 0) - 16));
    });

    it("decodes URL-encoded offer IDs, and checks and charges a repeated offer once", async () => {
      const offers = await returned(many);
      const encoded = offers.map(({ asin, offerListingId }) => ({
        asin,
        offerListingId: encodeURIComponent(offerListingId),
      }));
      expect(encoded).not.toEqual(offers);
      const { body } = await customer.call("POST /v1/offers/check", {
        ids: [...encoded, ...offers],
      });
      expect(body.results.map(({ id }) => id)).toEqual(
        offers.map(({ offerListingId }) => offerListingId),
      );
      expect(body.results.every(({ buyable }) => buyable === true)).toBe(true);
      expect(body.stats["requested"]).toBe(31);
    });

    it("reports an offer of another item as not buyable", async () => {
      const [offer] = await returned(two);
      const { body } = await customer.call("POST /v1/offers/check", {
        offers: [
          { asin: many, offerListingId: offer?.offerListingId },
          { asin: missing, offerListingId: offer?.offerListingId },
          { asin: two, offerListingId: "no such offer" },
        ],
      });
      expect(body.results.map(({ status, buyable }) => [status, buyable])).toEqual([
        ["ok", false],
        ["ok", false],
        ["ok", false],
      ]);
      expect(body.credits).toBe(2);
    });

    it("refunds the credits for offers that could not be checked", async () => {
      const offers = [{ asin: unread, offerListingId: "a+b/c=" }];
      const { body } = await customer.call("POST /v1/offers/check", { offers });
      expect(body.results[0]).not.toHaveProperty("buyable");
      expect(body).toMatchObject({ stats: { ok: 0, unavailable: 1 }, credits: 0 });
      expect(await customer.balance()).toBe(granted);
    });

    it("checks two thousand offers in one call", async () => {
      const offers = numbered(2_000).map((asin) => ({ asin, offerListingId: "a+b/c=" }));
      const { body } = await customer.call("POST /v1/offers/check", { offers });
      expect(body.results.map(({ asin }) => asin)).toEqual(numbered(2_000));
    });
  });

  describe("returns 400", () => {
    it.each([
      ["MISSING_PARAM", "offers", {}],
      ["MISSING_PARAM", "offers[0].asin", { offers: [{ offerListingId: "a" }] }],
      ["MISSING_PARAM", "offers[0].offerListingId", { offers: [{ asin: two }] }],
      ["INVALID_PARAM", "offers", { offers: [] }],
      ["INVALID_PARAM", "offers[0]", { offers: [two] }],
      ["INVALID_PARAM", "offers[0].asin", { offers: [{ asin: "B0", offerListingId: "a" }] }],
      ["INVALID_PARAM", "ids[0].asin", { ids: [{ asin: "B0", offerListingId: "a" }] }],
    ])(
      "with the code %s for the parameter '%s' of the body %j, and charges nothing",
      async (code, param, body) => {
        const answer = await customer.call("POST /v1/offers/check", body);
        expect(answer.status).toBe(400);
        expect(answer.body.error).toMatchObject({ code, param });
        expect(answer.headers.get("x-service-credits")).toBe("0");
        expect(await customer.balance()).toBe(granted);
      },
    );
  });

  describe("returns 400 for an invalid offer ID and", () => {
    it.each([
      ["empty", ""],
      ["text with a control character", "a\u0000b"],
      ["text with an encoded line break", "a%0Ab"],
      ["text of 5,000 characters", "x".repeat(5_000)],
    ])(
      "names the index of the offer with the invalid ID, and charges nothing (invalid ID: %s)",
      async (_, offerListingId) => {
        const offers = [
          { asin: two, offerListingId: "a" },
          { asin: two, offerListingId },
        ];
        const answer = await customer.call("POST /v1/offers/check", { offers });
        expect(answer.status).toBe(400);
        expect(answer.body.error).toMatchObject({
          code: "INVALID_PARAM",
          param: "offers[1].offerListingId",
        });
        expect(await customer.balance()).toBe(granted);
      },
    );
  });

  describe("returns 402", () => {
    it("when the balance does not cover half a credit for every offer", async () => {
      const poor = await world.customer(1);
      const offers = ["a", "b", "c"].map((offerListingId) => ({ asin: two, offerListingId }));
      const answer = await poor.call("POST /v1/offers/check", { offers });
      expect(answer.status).toBe(402);
      expect(await poor.balance()).toBe(1);
    });

    it("when half a credit for every offer, rounded up, exceeds 'max_credits'", async () => {
      const careful = await world.customer(10);
      const offers = ["a", "b", "c"].map((offerListingId) => ({ asin: two, offerListingId }));
      const answer = await careful.call("POST /v1/offers/check", { offers, max_credits: 1 });
      expect(answer.status).toBe(402);
      expect(answer.body.error).toMatchObject({ code: "INVALID_PARAM", param: "max_credits" });
      expect(await careful.balance()).toBe(10);
    });
  });

  describe("returns 403", () => {
    it("to the demo workspace", async () => {
      const demo = await world.customer(granted, { demo: true });
      const offers = [{ asin: two, offerListingId: "a" }];
      expect((await demo.call("POST /v1/offers/check", { offers })).status).toBe(403);
    });
  });

  describe("returns 501 and", () => {
    it.each([{ platform: "retailer_c" }, { platform: "retailer_f" }, { marketplace: "jp" }])(
      "returns 'coming_soon' for the announced feature in the body %j",
      async (shop) => {
        const offers = [{ asin: two, offerListingId: "a" }];
        const answer = await customer.call("POST /v1/offers/check", { ...shop, offers });
        expect(answer.status).toBe(501);
        expect(answer.body.coming_soon).toBe(true);
      },
    );
  });
});
