import type { StepSources } from "../../shared/runs/read-step.ts";
import type { Offer } from "../../shared/scrapers/offer.ts";
import type {
  Answer,
  OfferCheckAnswer,
  OffersAnswer,
  ReadStatus,
} from "../../shared/scrapers/scraper.ts";
import { Injected } from "./faulty-client.ts";
import type { Faults } from "./faulty-kinds.ts";
import type { Random } from "./faulty-random.ts";

interface SourceOptions {
  readonly random: Random;
  readonly faults: Faults;
  readonly now: () => Date;
  readonly call: <T>(label: string, effect: () => Promise<T>, delay?: number) => Promise<T>;
}

/** A slow source still answers by the deadline. */
const slowMs = 55_000;

/** Sources that say something else at every call, so that a batch read twice shows. */
export function changingSources({ random, faults, now, call }: SourceOptions): StepSources {
  const read = async <T>(label: string, answer: () => T): Promise<T> => {
    const fault = faults.draw("source_slow", "source_broken");
    if (fault === "source_broken") throw new Injected("BrokenConfiguration");
    return call(label, async () => answer(), fault === "source_slow" ? slowMs : 0);
  };
  const status = (): ReadStatus =>
    random.pick([
      ...Array<"ok">(14).fill("ok"),
      "partial",
      "not_found",
      "unavailable",
      "unavailable",
    ]);
  return {
    scraperFor: () => ({
      read: ({ ids, scraper }) =>
        read(`read ${scraper} ${ids.join(" ")}`, () =>
          ids.map((id): Answer => {
            const [head, is] = [{ id, fetchedAt: now().toISOString() }, status()];
            return is === "ok" || is === "partial"
              ? { ...head, status: is, fields: is === "ok" ? fieldsOf(scraper, random) : {} }
              : { ...head, status: is };
          }),
        ),
    }),
    offerScraperFor: () => ({
      readOffers: ({ ids }) =>
        read(`read offers ${ids.join(" ")}`, () =>
          ids.map((id): OffersAnswer => {
            const [head, is] = [{ id, fetchedAt: now().toISOString() }, status()];
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
        read(`check ${offers.map(({ offerListingId }) => offerListingId).join(" ")}`, () =>
          offers.map((offer): OfferCheckAnswer => {
            const head = { ...offer, fetchedAt: now().toISOString() };
            return random.isHit(0.8)
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
