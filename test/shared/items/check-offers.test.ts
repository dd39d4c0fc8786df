import * as v from "valibot";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../shared/base/system.ts";
import { checkOffers } from "../../../shared/items/check-offers.ts";
import {
  offerCheckResponse,
  type OfferCheckResult,
} from "../../../shared/items/offer-check-result.ts";
import type { OfferReply } from "../../../shared/items/offer-envelope.ts";
import type {
  OfferCheckAnswer,
  OfferChecker,
  OfferReference,
  OffersCheckRequest,
} from "../../../shared/scrapers/scraper.ts";
import { fetchedAt, granted, type OfferWorld, startOfferWorld } from "./offer-world.ts";

let world: OfferWorld;
beforeAll(async () => {
  world = await startOfferWorld();
});
beforeEach(() => world.newAccount());

/** True if an offer can be bought; undefined if unknown. */
type Buyable = boolean | undefined;

const answerOf = (offer: OfferReference, buyable: Buyable): OfferCheckAnswer =>
  buyable === undefined
    ? { ...offer, status: "unavailable", fetchedAt }
    : { ...offer, status: "ok", fetchedAt, buyable };

const answering = (all: readonly Buyable[]): OfferChecker => ({
  checkOffers: async ({ offers }) => offers.map((offer, n) => answerOf(offer, all[n])),
});

interface CheckOptions {
  readonly call?: ReturnType<typeof world.newCall>;
  readonly answerBytesMax?: number;
}

const check = (
  checker: OfferChecker,
  count: number,
  { call = world.newCall(), answerBytesMax }: CheckOptions = {},
): Promise<OfferReply<OfferCheckResult>> =>
  checkOffers(
    {
      ...call,
      request: {
        platform: "retailer_a",
        marketplace: "us",
        offers: Array.from({ length: count }, (_, n) => ({
          asin: "B00EXAMPLE",
          offerListingId: `id+${n}`,
        })),
      },
    },
    {
      ledger: world.ledger,
      cancels: world.cancels,
      offerCheckerFor: () => checker,
      clock: systemClock,
      answerBytesMax,
    },
  );

describe("a check of offers", () => {
  it("names the parameter 'offers' if its response would be too large to send", async () => {
    const checked = check(answering([true, true]), 2, { answerBytesMax: 300 });
    await expect(checked).rejects.toMatchObject({ status: 400, details: { param: "offers" } });
  });

  it.each<[Buyable[], number]>([
    [[true], 1],
    [[true, false], 1],
    [[true, false, true], 2],
    [[true, undefined, true], 1],
    [[true, undefined], 1],
    [[undefined], 0],
  ])(
    'charges half a credit per "ok" answer, rounded up: the answers %j result in a charge of %i credits',
    async (all, credits) => {
      const { body, ...left } = await check(answering(all), all.length);
      const reserved = Math.ceil(all.length / 2);
      expect(left).toEqual({ credits, balance: granted - credits, reserved });
      expect(body.credits).toBe(credits);
      expect(await world.account()).toMatchObject({ held: 0, spent: credits, inFlight: 0 });
    },
  );

  it("returns whether each offer can be bought, and returns no tier", async () => {
    const { body } = await check(answering([true, false, undefined]), 3);
    const asin = "B00EXAMPLE";
    expect(body).toEqual({
      platform: "retailer_a",
      marketplace: "us",
      results: [
        { id: "id+0", asin, offerListingId: "id+0", status: "ok", fetchedAt, buyable: true },
        { id: "id+1", asin, offerListingId: "id+1", status: "ok", fetchedAt, buyable: false },
        { id: "id+2", asin, offerListingId: "id+2", status: "unavailable", fetchedAt },
      ],
      stats: {
        requested: 3,
        ok: 2,
        partial: 0,
        notFound: 0,
        unavailable: 1,
        elapsedMs: expect.any(Number),
      },
      credits: 1,
    });
    expect(v.is(offerCheckResponse, body)).toBe(true);
  });

  it("holds one slot and half a credit per offer, with the sum rounded up, while it is in progress", async () => {
    let during: unknown;
    const checker: OfferChecker = {
      async checkOffers({ offers }) {
        during = await world.account();
        return offers.map((offer) => answerOf(offer, true));
      },
    };
    await check(checker, 7);
    expect(during).toMatchObject({ balance: granted - 4, held: 4, inFlight: 1 });
  });

  it.each([
    [280_000, 110],
    [20_000, 20],
  ])(
    "with %i ms left until its deadline gives the source %i seconds to respond",
    async (deadlineMs, seconds) => {
      let asked: OffersCheckRequest | undefined;
      const checker: OfferChecker = {
        async checkOffers(request) {
          asked = request;
          return request.offers.map((offer) => answerOf(offer, true));
        },
      };
      const call = world.newCall(deadlineMs);
      await check(checker, 1, { call });
      expect(asked?.deadline).toEqual(new Date(call.now.getTime() + seconds * 1_000));
    },
  );
});

describe("a check of offers that costs more than the balance", () => {
  it("fails with 402, and does not read the offers", async () => {
    const unasked: OfferChecker = { checkOffers: () => Promise.reject(new Error("It was asked")) };
    await expect(check(unasked, 2 * granted + 1)).rejects.toMatchObject({
      status: 402,
      code: "INSUFFICIENT_CREDITS",
    });
    expect(await world.account()).toMatchObject({ balance: granted, held: 0, inFlight: 0 });
  });
});

describe("a check of offers with a broken offer checker", () => {
  it.each([
    ["throws", () => Promise.reject(new Error("broken configuration"))],
    ["returns too few answers", async () => []],
    [
      "answers for another item",
      async () => [answerOf({ asin: "B000000009", offerListingId: "id+0" }, true)],
    ],
    [
      "answers for another offer",
      async () => [answerOf({ asin: "B00EXAMPLE", offerListingId: "id+9" }, true)],
    ],
  ])(
    "refunds all credits when the offer checker misbehaves (the checker %s)",
    async (_case, checkOf: OfferChecker["checkOffers"]) => {
      await expect(check({ checkOffers: checkOf }, 1)).rejects.toThrow(/broken/i);
      expect(await world.account()).toMatchObject({
        balance: granted,
        held: 0,
        spent: 0,
        inFlight: 0,
      });
    },
  );
});
