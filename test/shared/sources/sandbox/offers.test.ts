import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { limits } from "../../../../shared/base/limits.ts";
import { type Offer, offerConditions, offerSchema } from "../../../../shared/scrapers/offer.ts";
import type { RetailerAFields } from "../../../../shared/scrapers/product-fields.ts";
import type {
  OfferCheckAnswer,
  OfferReference,
  OffersAnswer,
} from "../../../../shared/scrapers/scraper.ts";
import { sandboxOfferChecker, sandboxOffers } from "../../../../shared/sources/sandbox/offers.ts";
import { sandboxAnswer } from "../../../../shared/sources/sandbox/scraper.ts";
import { fixedClock } from "../../../support/clock.ts";

const noon = "2026-03-01T12:00:00.000Z";
const seed = "test";
const marketplace = "us";
const farDeadline = new Date("2027-01-01T00:00:00Z");
const catalog = Array.from({ length: 600 }, (_, n) => `B${String(n).padStart(9, "0")}`);

const read = (
  ids: readonly string[],
  { at = noon, deadline = farDeadline }: { at?: string; deadline?: Date } = {},
): Promise<readonly OffersAnswer[]> =>
  sandboxOffers({ seed, clock: fixedClock(at) }).readOffers({ marketplace, ids, deadline });

const check = (
  offers: readonly OfferReference[],
  { at = noon, deadline = farDeadline }: { at?: string; deadline?: Date } = {},
): Promise<readonly OfferCheckAnswer[]> =>
  sandboxOfferChecker({ seed, clock: fixedClock(at) }).checkOffers({
    marketplace,
    offers,
    deadline,
  });

type Found = Extract<OffersAnswer, { status: "ok" }>;
const found = (answers: readonly OffersAnswer[]): Found[] =>
  answers.filter((answer) => answer.status === "ok");

async function only(id: string, at = noon): Promise<Found> {
  const [answer] = await read([id], { at });
  if (answer?.status !== "ok") throw new Error(`${id} was not read`);
  return answer;
}

const references = ({ id, offers }: Found): OfferReference[] =>
  offers.map(({ offerListingId }) => ({ asin: id, offerListingId }));

const productOf = (id: string): RetailerAFields | undefined => {
  const answer = sandboxAnswer({
    scraper: "retailer_a.lite",
    marketplace,
    id,
    at: new Date(noon),
    seed,
  });
  return answer.status === "ok" ? (answer.fields as RetailerAFields) : undefined;
};

describe("the sandbox's offers reader", () => {
  it("returns one result per ID in the order of the request, and equal results for equal times", async () => {
    const answers = await read(catalog);
    expect(answers.map(({ id }) => id)).toEqual(catalog);
    expect(new Set(answers.map(({ fetchedAt }) => fetchedAt))).toEqual(new Set([noon]));
    expect(await read(catalog)).toEqual(answers);
  });

  it("returns listings and offers of every kind", async () => {
    const answers = await read(catalog);
    const offers = found(answers).flatMap((one) => one.offers);
    const totals = found(answers).map(({ totalOffers }) => totalOffers);
    expect(new Set(answers.map(({ status }) => status))).toEqual(
      new Set(["ok", "not_found", "unavailable"]),
    );
    expect(totals).toEqual(expect.arrayContaining([0, 1, 2]));
    expect(Math.max(...totals)).toBeGreaterThan(limits.offersPerListingMax);
    expect(offers.filter((offer) => !v.is(offerSchema, offer))).toEqual([]);
    const kinds: readonly ((offer: Offer) => boolean)[] = [
      ({ condition }) => condition !== "new",
      ({ conditionNote }) => conditionNote !== undefined,
      ({ shipping }) => shipping === undefined,
      ({ shipping }) => shipping !== undefined && shipping > 0,
      ({ seller }) => seller.rating === undefined,
      ({ seller }) => seller.ratingCount !== undefined,
      ({ fulfillment }) => !fulfillment.isFba,
      ({ availability }) => availability === undefined,
      ({ delivery }) => delivery === undefined,
    ];
    for (const isKind of kinds) {
      const share = offers.filter(isKind).length / offers.length;
      expect(share).toBeGreaterThan(0);
      expect(share).toBeLessThan(1);
    }
    const known: ReadonlySet<string> = new Set(offerConditions);
    expect(offers.filter(({ condition }) => !known.has(condition))).toEqual([]);
  });

  it("returns the same offer count and the same featured offer as a product read at the same time", async () => {
    let compared = 0;
    for (const { id, offers, totalOffers } of found(await read(catalog))) {
      const product = productOf(id);
      if (product === undefined || totalOffers > offers.length) continue;
      const shown = product.retailer_a;
      const featured = offers.find(({ isBuybox }) => isBuybox);
      const lowest = (isKind: (offer: Offer) => boolean): number | null =>
        offers
          .filter(isKind)
          .reduce<number | null>(
            (min, { price }) => (min === null || price < min ? price : min),
            null,
          );
      const isNew = ({ condition }: Offer): boolean => condition === "new";
      const isUsed = ({ condition }: Offer): boolean => condition.startsWith("used_");
      expect({
        id,
        buybox: featured && {
          offerListingId: featured.offerListingId,
          price: featured.price,
          merchant: { id: featured.seller.id, name: featured.seller.name },
          condition: featured.condition,
          isFba: featured.fulfillment.isFba,
        },
        message: featured?.availability,
        delivery: featured?.delivery,
        newCount: offers.filter(isNew).length,
        newMinPrice: lowest(isNew),
        usedCount: offers.filter(isUsed).length,
        usedMinPrice: lowest(isUsed),
      }).toEqual({
        id,
        buybox: shown.buybox ? omit(shown.buybox) : undefined,
        message: shown.buybox ? product.availability?.message : undefined,
        delivery: shown.delivery?.message,
        newCount: shown.newCount,
        newMinPrice: shown.newMinPrice,
        usedCount: shown.usedCount,
        usedMinPrice: shown.usedMinPrice,
      });
      compared += 1;
    }
    expect(compared).toBeGreaterThan(400);
  });

  it("returns no offer ID twice, even for different listings", async () => {
    const ids = found(await read(catalog)).flatMap(references);
    expect(new Set(ids.map(({ offerListingId }) => offerListingId)).size).toBe(ids.length);
  });

  it("returns the same offer ID after a change of the offer's price", async () => {
    const id = "B0SANDBOX1";
    const [now, later] = [await only(id), await only(id, "2026-03-01T12:00:01.234Z")];
    expect(later.offers[0]?.price).not.toBe(now.offers[0]?.price);
    expect(references(later)).toEqual(references(now));
  });

  it("returns 31 offers of a large listing, and the count of all offers of the listing", async () => {
    const { totalOffers, offers } = await only("B0SANDBOXM");
    expect({ totalOffers, shown: offers.length }).toEqual({ totalOffers: 45, shown: 31 });
    expect(offers.filter(({ price }) => price * 100 !== Math.round(price * 100))).toEqual([]);
  });

  it.each([
    ["B0SANDBOXP", 0],
    ["B0SANDBOX3", 0],
    ["B0SANDBOX0", 2],
  ])("returns for the listing %s a total of %i offers", async (id, total) => {
    expect((await only(id)).totalOffers).toBe(total);
  });

  it.each([
    ["B0SANDBOX5", "unavailable"],
    ["B0SANDBOX6", "unavailable"],
    ["B0SANDBOX7", "not_found"],
  ])('returns for the listing %s the status "%s"', async (id, status) => {
    expect(await read([id])).toEqual([{ id, status, fetchedAt: noon }]);
  });

  it('returns "unavailable" only for the slow listing that cannot be read by the deadline', async () => {
    const answers = await read(["B0SANDBOX8", "B0SANDBOX0"], {
      deadline: new Date("2026-03-01T12:00:01Z"),
    });
    expect(answers.map(({ status }) => status)).toEqual(["unavailable", "ok"]);
    expect(await read(["B0SANDBOX8"])).toMatchObject([{ status: "ok", totalOffers: 2 }]);
  });

  it('returns "unavailable" after the deadline', async () => {
    const answers = await read(["B0SANDBOX0"], { deadline: new Date(noon) });
    expect(answers).toMatchObject([{ status: "unavailable" }]);
  });
});

const omit = ({
  availabilityType: _type,
  ...buybox
}: NonNullable<RetailerAFields["retailer_a"]["buybox"]>): Partial<typeof buybox> => buybox;

describe("the sandbox's offer checker", () => {
  it("returns buyable for the buy box of a product read and for every returned offer", async () => {
    const listing = await only("B0SANDBOXM");
    const answers = await check(references(listing));
    expect(answers).toEqual(
      references(listing).map(({ asin, offerListingId }) => ({
        asin,
        offerListingId,
        status: "ok",
        fetchedAt: noon,
        buyable: true,
      })),
    );
    const product = productOf("B0SANDBOX0")?.retailer_a.buybox?.offerListingId ?? "";
    expect(await check([{ asin: "B0SANDBOX0", offerListingId: product }])).toMatchObject([
      { status: "ok", buyable: true },
    ]);
  });

  it("returns not buyable for the offers of other listings and for invalid IDs", async () => {
    const [own, other] = [await only("B0SANDBOX0"), await only("B0SANDBOXM")];
    const swapped = references({ ...other, id: own.id });
    const answers = await check([...swapped, { asin: own.id, offerListingId: "no/such+id=" }]);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(["ok"]));
    expect(answers.every((answer) => answer.status === "ok" && !answer.buyable)).toBe(true);
  });

  it("returns not buyable for an offer that cannot be bought now, and buyable for back orders and pre-orders", async () => {
    const listings = found(await read(catalog));
    const answers = new Map<string, boolean>();
    for (const answer of await check(listings.flatMap(references))) {
      if (answer.status === "ok") answers.set(answer.offerListingId, answer.buyable);
    }
    const byLine = (line: RegExp): Set<boolean | undefined> =>
      new Set(
        listings
          .flatMap(({ offers }) => offers)
          .filter(({ availability = "" }) => line.test(availability))
          .map(({ offerListingId }) => answers.get(offerListingId))
          .filter((buyable) => buyable !== undefined),
      );
    expect(byLine(/^Temporarily out of stock/)).toEqual(new Set([false]));
    expect(byLine(/^Only \d left|^Usually ships|Pre-order|^In stock on/)).toEqual(new Set([true]));
  });

  it("returns not buyable after the offer has disappeared", async () => {
    const [offer] = references(await only("B0SANDBOX2"));
    if (offer === undefined) throw new Error("The listing has no offer");
    expect(await check([offer])).toMatchObject([{ buyable: true }]);
    const oddMinute = "2026-03-01T12:01:00.000Z";
    expect(await check([offer], { at: oddMinute })).toMatchObject([{ buyable: false }]);
  });

  it.each([
    ["B0SANDBOX7", { status: "ok", buyable: false }],
    ["B0SANDBOX6", { status: "unavailable" }],
  ])("returns for an offer of the listing %s the answer %j", async (asin, ending) => {
    const offer = { asin, offerListingId: "a+b/c=" };
    expect(await check([offer])).toEqual([{ ...offer, fetchedAt: noon, ...ending }]);
  });

  it('returns "unavailable" after the deadline', async () => {
    const offer = { asin: "B0SANDBOX0", offerListingId: "a+b/c=" };
    expect(await check([offer], { deadline: new Date(noon) })).toMatchObject([
      { status: "unavailable" },
    ]);
  });
});
