import fc from "fast-check";
import * as v from "valibot";
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../../shared/base/system.ts";
import type { OfferReply } from "../../../shared/items/offer-envelope.ts";
import { offersResponse, type OffersResult } from "../../../shared/items/offers-result.ts";
import { readOffers } from "../../../shared/items/read-offers.ts";
import type {
  OffersAnswer,
  OfferScraper,
  OffersReadRequest,
} from "../../../shared/scrapers/scraper.ts";
import { fetchedAt, granted, type OfferWorld, startOfferWorld } from "./offer-world.ts";
import { offerOf } from "./offer-data.ts";

let world: OfferWorld;
beforeAll(async () => {
  world = await startOfferWorld();
});
beforeEach(() => world.newAccount());

/** The answer for a listing: its number of offers, or a status without offers. */
type Listing = number | "not_found" | "unavailable";

const answerOf = (id: string, listing: Listing): OffersAnswer =>
  typeof listing === "string"
    ? { id, status: listing, fetchedAt }
    : {
        id,
        status: "ok",
        fetchedAt,
        totalOffers: listing,
        offers: Array.from({ length: listing }, (_, n) =>
          offerOf({ offerListingId: `${id}+${n}`, price: 10 + n }),
        ),
      };

const answering = (listings: readonly Listing[]): OfferScraper => ({
  readOffers: async ({ ids }) => ids.map((id, n) => answerOf(id, listings[n] ?? "unavailable")),
});

const numbered = (count: number): string[] =>
  Array.from({ length: count }, (_, n) => `B${String(n).padStart(9, "0")}`);

const read = (
  scraper: OfferScraper,
  count: number,
  call = world.newCall(),
): Promise<OfferReply<OffersResult>> =>
  readOffers(
    {
      ...call,
      request: {
        platform: "retailer_a",
        marketplace: "us",
        condition: "all",
        ids: numbered(count),
      },
    },
    {
      ledger: world.ledger,
      cancels: world.cancels,
      offerScraperFor: () => scraper,
      clock: systemClock,
    },
  );

describe("a read of offers", () => {
  it.each<[Listing, number]>([
    [0, 1],
    [1, 1],
    [2, 3],
    [45, 3],
    ["not_found", 1],
    ["unavailable", 0],
  ])(
    "charges by the number of offers or the status of a listing: the listing '%s' results in a charge of %i credits",
    async (listing, credits) => {
      const { body, ...left } = await read(answering([listing]), 1);
      expect(left).toEqual({ credits, balance: granted - credits, reserved: 3 });
      expect(body.credits).toBe(credits);
      expect(await world.account()).toMatchObject({ held: 0, spent: credits, inFlight: 0 });
    },
  );

  it('returns results in the order of the request, each without a tier and without the status "partial"', async () => {
    const { body } = await read(answering([2, "not_found", "unavailable", 0]), 4);
    expect(body).toEqual({
      platform: "retailer_a",
      marketplace: "us",
      results: [
        expect.objectContaining({ id: "B000000000", status: "ok", totalOffers: 2 }),
        expect.objectContaining({ id: "B000000001", status: "not_found" }),
        expect.objectContaining({ id: "B000000002", status: "unavailable" }),
        expect.objectContaining({ id: "B000000003", status: "ok", totalOffers: 0, offers: [] }),
      ],
      stats: {
        requested: 4,
        ok: 2,
        partial: 0,
        notFound: 1,
        unavailable: 1,
        elapsedMs: expect.any(Number),
      },
      credits: 5,
    });
    expect(v.is(offersResponse, body)).toBe(true);
  });

  it("holds one slot and three credits per ID while it is in progress", async () => {
    let during: unknown;
    const scraper: OfferScraper = {
      async readOffers({ ids }) {
        during = await world.account();
        return ids.map((id) => answerOf(id, 1));
      },
    };
    await read(scraper, 7);
    expect(during).toMatchObject({ balance: granted - 21, held: 21, inFlight: 1 });
  });

  it.each([
    [280_000, 170],
    [20_000, 20],
  ])(
    "with %i ms left until its deadline gives the source %i seconds to respond",
    async (deadlineMs, seconds) => {
      let asked: OffersReadRequest | undefined;
      const scraper: OfferScraper = {
        async readOffers(request) {
          asked = request;
          return request.ids.map((id) => answerOf(id, 1));
        },
      };
      const call = world.newCall(deadlineMs);
      await read(scraper, 1, call);
      expect(asked?.deadline).toEqual(new Date(call.now.getTime() + seconds * 1_000));
    },
  );

  it("never charges more than it reserved, and leaves no hold", async () => {
    const listing = fc.constantFrom<Listing>(0, 1, 2, 40, "not_found", "unavailable");
    await fc.assert(
      fc.asyncProperty(fc.array(listing, { minLength: 1, maxLength: 4 }), async (listings) => {
        const before = await world.account();
        const { body, credits } = await read(answering(listings), listings.length);
        const { requested, ok, notFound, unavailable } = body.stats;
        expect(requested).toBe(listings.length);
        expect(ok + notFound + unavailable).toBe(requested);
        expect(credits).toBeGreaterThanOrEqual(ok + notFound);
        expect(credits).toBeLessThanOrEqual(3 * (ok + notFound));
        const after = await world.account();
        expect(after).toMatchObject({ held: 0, inFlight: 0 });
        expect(after?.balance).toBe((before?.balance ?? 0) - credits);
      }),
      { numRuns: 25 },
    );
  });
});

describe("a read of offers that costs more than the balance", () => {
  it("fails with 402, and does not read from the source", async () => {
    const unread: OfferScraper = { readOffers: () => Promise.reject(new Error("It was read")) };
    await expect(read(unread, Math.floor(granted / 3) + 1)).rejects.toMatchObject({
      status: 402,
      code: "INSUFFICIENT_CREDITS",
    });
    expect(await world.account()).toMatchObject({ balance: granted, held: 0, inFlight: 0 });
  });
});

describe("a read of offers with a broken scraper", () => {
  it.each([
    ["throws", () => Promise.reject(new Error("broken configuration"))],
    ["returns too few answers", async () => []],
    ["returns an answer for another ID", async () => [answerOf("B999999999", 1)]],
  ])(
    "refunds all credits when the scraper misbehaves (the scraper %s)",
    async (_case, readOffersOf: OfferScraper["readOffers"]) => {
      await expect(read({ readOffers: readOffersOf }, 1)).rejects.toThrow(/broken/i);
      expect(await world.account()).toMatchObject({
        balance: granted,
        held: 0,
        spent: 0,
        inFlight: 0,
      });
    },
  );
});
