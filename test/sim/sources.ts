import type { StepSources } from "../../shared/runs/read-step.ts";
import type { Offer } from "../../shared/scrapers/offer.ts";
import type {
  Answer,
  OfferCheckAnswer,
  OffersAnswer,
  ReadStatus,
} from "../../shared/scrapers/scraper.ts";
import type { Faults } from "./faults.ts";
import type { Random } from "./random.ts";
import type { Turns } from "./turns.ts";

interface SourceOptions {
  readonly turns: Turns;
  readonly faults: Faults;
  readonly random: Random;
  readonly now: () => Date;
}

/** A slow source still answers by a step's deadline. */
const lateMs = 55_000;

/** An error that the simulation made: whoever meets it may fail. */
export class SourceBroken extends Error {
  override readonly name = "SourceBroken";
}

/** Sources that say something else at every call, so that a batch read twice shows. */
export function changingSources({ turns, faults, random, now }: SourceOptions): StepSources {
  const read = async <T>(label: string, answer: (isDown: boolean) => T): Promise<T> => {
    const fault = faults.draw("source_broken", "source_late", "source_unavailable");
    if (fault === "source_broken") throw new SourceBroken();
    return turns.call({
      label,
      delay: fault === "source_late" ? lateMs : 0,
      effect: async () => answer(fault === "source_unavailable"),
    });
  };
  const status = (isDown: boolean): ReadStatus =>
    isDown
      ? "unavailable"
      : random.pick([
          ...Array<"ok">(14).fill("ok"),
          "partial",
          "not_found",
          "unavailable",
          "unavailable",
        ]);
  return {
    scraperFor: () => ({
      read: ({ ids, scraper }) =>
        read(`read ${scraper} ${ids.join(" ")}`, (isDown) =>
          ids.map((id): Answer => {
            const [head, is] = [{ id, fetchedAt: now().toISOString() }, status(isDown)];
            return is === "ok" || is === "partial"
              ? { ...head, status: is, fields: is === "ok" ? fieldsOf(scraper, random) : {} }
              : { ...head, status: is };
          }),
        ),
    }),
    offerScraperFor: () => ({
      readOffers: ({ ids }) =>
        read(`read offers ${ids.join(" ")}`, (isDown) =>
          ids.map((id): OffersAnswer => {
            const [head, is] = [{ id, fetchedAt: now().toISOString() }, status(isDown)];
            if (is === "not_found") return { ...head, status: is };
            if (is !== "ok") return { ...head, status: "unavailable" };
            const offers = Array.from({ length: random.between(0, 3) }, (_, n) =>
              offerOf(n, random),
            );
            return { ...head, status: is, offers, totalOffers: offers.length };
          }),
        ),
    }),
    offerCheckerFor: () => ({
      checkOffers: ({ offers }) =>
        read(`check ${offers.map(({ offerListingId }) => offerListingId).join(" ")}`, (isDown) =>
          offers.map((offer): OfferCheckAnswer => {
            const head = { ...offer, fetchedAt: now().toISOString() };
            return !isDown && random.isHit(0.8)
              ? { ...head, status: "ok", buyable: random.isHit(0.5) }
              : { ...head, status: "unavailable" };
          }),
        ),
    }),
  };
}

function fieldsOf(scraper: string, random: Random): Record<string, unknown> {
  const price = { amount: random.between(8, 11), currency: "USD" };
  const availability = { inStock: random.isHit(0.8), message: "" };
  if (scraper === "retailer_d.standard") {
    return { price, availability, retailer_d: { regularPrice: random.between(10, 12) } };
  }
  const offerListingId = `offer-${random.between(1, 3)}`;
  const counts = { newCount: random.between(1, 3), newMinPrice: random.between(8, 10) };
  return {
    price,
    availability,
    retailer_a: {
      ...counts,
      buybox: random.isHit(0.8) ? { offerListingId, isFba: random.isHit(0.5) } : null,
    },
  };
}

const offerOf = (n: number, random: Random): Offer => ({
  offerListingId: `offer-${random.between(1, 3)}`,
  price: random.between(8, 11),
  currency: "USD",
  priceDisplay: "$",
  condition: n === 0 ? "new" : "used_good",
  seller: { id: `S${n}`, name: "Seller" },
  fulfillment: { isFba: false, fulfillerName: "Seller" },
  isBuybox: n === 0,
});
