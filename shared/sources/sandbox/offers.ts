import { limits } from "../../base/limits.ts";
import type { Clock } from "../../base/clock.ts";
import { currencyOf } from "../../platforms/catalog.ts";
import type { OfferScraperId } from "../../scrapers/catalog.ts";
import type {
  OfferCheckAnswer,
  OfferChecker,
  OfferReference,
  OffersAnswer,
  OfferScraper,
} from "../../scrapers/scraper.ts";
import { drawsOf } from "./draw.ts";
import { offerPage, sandboxOffer } from "./offer.ts";
import { isBuyable, type ItemStateA, itemStateA, offerListingIdOf } from "./retailer-a.ts";
import { readTiming, statusAt } from "./status.ts";

interface Options {
  readonly seed: string;
  readonly clock: Clock;
}

/** The marketplace, time and seed that determine the state of listings. */
interface ListingsMoment {
  readonly seed: string;
  readonly marketplace: string;
  readonly at: Date;
}

/**
 * Creates the scraper of offers of the sandbox. Its offers agree with the counts and the buy box
 * that the sandbox's product scrapers return for the same time.
 */
export function sandboxOffers({ seed, clock }: Options): OfferScraper {
  return {
    async readOffers({ marketplace, ids, deadline }) {
      const { at, isLate } = await readTiming("retailer_a", { ids, deadline }, clock);
      const moment = { seed, marketplace, at };
      const fetchedAt = at.toISOString();
      return ids.map((id) =>
        isLate(id) ? { id, status: "unavailable", fetchedAt } : offersAnswer(id, moment),
      );
    },
  };
}

/**
 * Creates the offer checker of the sandbox. It finds offers by the IDs that the sandbox's product
 * and offers scrapers return.
 */
export function sandboxOfferChecker({ seed, clock }: Options): OfferChecker {
  return {
    async checkOffers({ marketplace, offers, deadline }) {
      const ids = offers.map(({ asin }) => asin);
      const { at, isLate } = await readTiming("retailer_a", { ids, deadline }, clock);
      const listingOf = cacheByKey((asin) => listingAt(asin, { seed, marketplace, at }));
      const fetchedAt = at.toISOString();
      return offers.map((offer) =>
        isLate(offer.asin)
          ? { ...offer, status: "unavailable", fetchedAt }
          : checkAnswer(offer, listingOf(offer.asin), fetchedAt),
      );
    },
  };
}

/** Returns the offers of a listing at a given time. */
function offersAnswer(id: string, moment: ListingsMoment): OffersAnswer {
  const { seed, marketplace, at } = moment;
  const fetchedAt = at.toISOString();
  const status = readStatus("retailer_a.offers", id, moment);
  if (status !== "ok") return { id, status, fetchedAt };
  const state = itemStateA({ seed, marketplace, id, at });
  const currency = currencyOf("retailer_a", marketplace);
  const page = offerPage(state, { ...moment, currency });
  const offers = state.offers
    .slice(0, limits.offersPerListingMax)
    .map((offer) => sandboxOffer(offer, page));
  return { id, status, fetchedAt, totalOffers: state.offers.length, offers };
}

type Listing = ItemStateA | "not_found" | "unavailable";

/** Returns the state of a listing at a given time, or the status if it cannot be read. */
function listingAt(asin: string, moment: ListingsMoment): Listing {
  const status = readStatus("retailer_a.offer_check", asin, moment);
  return status === "ok" ? itemStateA({ ...moment, id: asin }) : status;
}

/** Returns whether an offer is buyable. An offer of another listing is not buyable. */
function checkAnswer(
  { asin, offerListingId }: OfferReference,
  listing: Listing,
  fetchedAt: string,
): OfferCheckAnswer {
  const answer = { asin, offerListingId, fetchedAt };
  if (listing === "unavailable") return { ...answer, status: "unavailable" };
  const buyable =
    listing !== "not_found" &&
    listing.offers.some(
      (offer) => isBuyable(offer) && offerListingIdOf(listing, offer) === offerListingId,
    );
  return { ...answer, status: "ok", buyable };
}

/**
 * Returns the status of a read: `ok`, `not_found` or `unavailable`. `partial` becomes
 * `unavailable`, because offers have no status `partial`.
 */
function readStatus(
  kind: OfferScraperId,
  id: string,
  moment: ListingsMoment,
): "ok" | "not_found" | "unavailable" {
  const status = statusAt(
    { platform: "retailer_a", kind },
    { id, at: moment.at },
    drawsOf({ ...moment, id }),
  );
  return status === "partial" ? "unavailable" : status;
}

/** Creates a function that caches the results of `ask` by key. */
function cacheByKey<Value>(ask: (key: string) => Value): (key: string) => Value {
  const known = new Map<string, Value>();
  return (key) => {
    const value = known.get(key) ?? ask(key);
    known.set(key, value);
    return value;
  };
}
