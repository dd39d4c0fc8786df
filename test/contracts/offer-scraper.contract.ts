import fc from "fast-check";
import * as v from "valibot";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { offerSchema } from "../../shared/scrapers/offer.ts";
import type {
  OfferCheckAnswer,
  OfferChecker,
  OfferReference,
  OffersAnswer,
  OfferScraper,
} from "../../shared/scrapers/scraper.ts";
import { brandedKeysIn } from "./output-keys.ts";
import { readAnswersContract } from "./read-answers.contract.ts";

/** A scraper of offers, and a source that chooses its behavior by the ID of the item. */
export interface OfferScraperSubject {
  readonly scraper: OfferScraper;
  /** IDs by the status that the answers for them must have. */
  readonly ids: Readonly<Record<OffersAnswer["status"], readonly string[]>>;
  /** The ID of an item about which the source responds only after 300 ms or more, or never. */
  readonly slowId: string;
  stop(): Promise<void>;
}

const marketplace = "us";
const deadlineIn = (milliseconds: number): Date => new Date(Date.now() + milliseconds);

/**
 * Registers the tests that every adapter of the offer scraper port must pass. All tests share the
 * subject that `start` returns.
 */
export function offerScraperContract(
  name: string,
  start: () => Promise<OfferScraperSubject>,
): void {
  describe(`the offer scraper of the adapter '${name}'`, () => {
    let subject: OfferScraperSubject;
    beforeAll(async () => {
      subject = await start();
    });
    afterAll(() => subject.stop());

    const read = async (
      ids: readonly string[],
      withinMs = 30_000,
    ): Promise<readonly OffersAnswer[]> =>
      subject.scraper.readOffers({ marketplace, ids, deadline: deadlineIn(withinMs) });

    readAnswersContract(() => subject, read);

    it.each(["ok", "not_found", "unavailable"] as const)(
      "returns the status '%s' for each sample item that has this status at its source",
      async (status) => {
        const ids = subject.ids[status];
        expect(ids.length).toBeGreaterThan(0);
        const answers = await Promise.all(ids.map(async (id) => (await read([id]))[0]));
        expect(answers.map((answer) => answer?.status)).toEqual(ids.map(() => status));
      },
    );

    it("returns offers that match their schema and have the marketplace's currency, with the total number of offers", async () => {
      for (const answer of await read(subject.ids.ok)) {
        if (answer.status !== "ok") throw new Error(`${answer.id} was not found`);
        expect(answer.offers).toEqual(answer.offers.map((offer) => v.parse(offerSchema, offer)));
        expect(answer.offers.filter(({ currency }) => currency !== "USD")).toEqual([]);
        expect(answer.offers.filter(({ isBuybox }) => isBuybox).length).toBeLessThanOrEqual(1);
        expect(answer.totalOffers).toBeGreaterThanOrEqual(answer.offers.length);
        expect(Object.keys(answer).toSorted()).toEqual([
          "fetchedAt",
          "id",
          "offers",
          "status",
          "totalOffers",
        ]);
      }
    });

    it("uses no brand name in any field name", async () => {
      const answers = await read(Object.values(subject.ids).flat());
      expect(answers.length).toBeGreaterThan(0);
      expect(brandedKeysIn(answers)).toEqual([]);
    });

    it("returns no offers for an item that was not found", async () => {
      for (const answer of await read([...subject.ids.not_found, ...subject.ids.unavailable])) {
        expect(Object.keys(answer).toSorted()).toEqual(["fetchedAt", "id", "status"]);
      }
    });
  });
}

/** An offer checker, and offers about which its source responds in different ways. */
export interface OfferCheckerSubject {
  readonly checker: OfferChecker;
  /** Offers by the result that their check must have. */
  readonly offers: Readonly<Record<"buyable" | "gone" | "unavailable", readonly OfferReference[]>>;
  /** An offer about which the source responds only after 300 ms or more, or never. */
  readonly slowOffer: OfferReference;
  stop(): Promise<void>;
}

const reference = ({ asin, offerListingId }: OfferReference): OfferReference => ({
  asin,
  offerListingId,
});

/**
 * Registers the tests that every adapter of the offer checker port must pass. All tests share the
 * subject that `start` returns.
 */
export function offerCheckerContract(
  name: string,
  start: () => Promise<OfferCheckerSubject>,
): void {
  describe(`the offer checker of the adapter '${name}'`, () => {
    let subject: OfferCheckerSubject;
    beforeAll(async () => {
      subject = await start();
    });
    afterAll(() => subject.stop());

    const check = async (
      offers: readonly OfferReference[],
      withinMs = 30_000,
    ): Promise<readonly OfferCheckAnswer[]> =>
      subject.checker.checkOffers({ marketplace, offers, deadline: deadlineIn(withinMs) });

    it("returns every offer once, in the order of the request", async () => {
      const all = Object.values(subject.offers).flat();
      await fc.assert(
        fc.asyncProperty(fc.shuffledSubarray(all, { minLength: 1 }), async (offers) => {
          expect((await check(offers)).map(reference)).toEqual(offers);
        }),
        { numRuns: 10 },
      );
    });

    it("returns an empty list if no offers are requested", async () => {
      expect(await check([])).toEqual([]);
    });

    it.each([
      ["buyable", { status: "ok", buyable: true }],
      ["gone", { status: "ok", buyable: false }],
      ["unavailable", { status: "unavailable" }],
    ] as const)(
      "reports the result '%s' for each sample offer for which the source reports this result",
      async (kind, ending) => {
        const offers = subject.offers[kind];
        expect(offers.length).toBeGreaterThan(0);
        for (const offer of offers) {
          const [answer] = await check([offer]);
          const fetchedAt = new Date(answer?.fetchedAt ?? "").toISOString();
          expect(answer).toEqual({ ...offer, ...ending, fetchedAt });
        }
      },
    );

    it("returns at the deadline, with the status 'unavailable' for unchecked offers", async () => {
      const [answer] = await check([subject.slowOffer], 300);
      expect(answer?.status).toBe("unavailable");
    });

    it("returns the status 'unavailable' for all offers if the call begins after its deadline", async () => {
      const offers = [...subject.offers.buyable, ...subject.offers.gone];
      const answers = await check(offers, -1);
      expect(answers.map((answer) => answer.status)).toEqual(offers.map(() => "unavailable"));
    });
  });
}
