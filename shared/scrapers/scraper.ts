import type { ScraperId } from "./catalogue.ts";
import type { Offer } from "./offer.ts";

/**
 * What a product read found, named as in a result (`RetailerDFields` for retailer_d); a field the
 * source does not show is absent, null is known to be nothing.
 */
export type ProductFields = Readonly<Record<string, unknown>>;

export interface ReadRequest {
  readonly scraper: ScraperId;
  readonly marketplace: string;
  /** Normalised, unique ids of the scraper's platform. */
  readonly ids: readonly string[];
  /** When the answer must be there: ids not read by then are `unavailable`. */
  readonly deadline: Date;
}

/** One item's answer. `fetchedAt` is ISO 8601 UTC. */
export type Answer =
  /** Everything the tier promises was read. */
  | {
      readonly id: string;
      readonly status: "ok";
      readonly fetchedAt: string;
      readonly fields: ProductFields;
    }
  /** The item is proven to exist, but a promised field is missing. */
  | {
      readonly id: string;
      readonly status: "partial";
      readonly fetchedAt: string;
      readonly fields: ProductFields;
    }
  /** The source positively says that there is no such item; charged, and it delists. */
  | { readonly id: string; readonly status: "not_found"; readonly fetchedAt: string }
  /** Everything else. */
  | { readonly id: string; readonly status: "unavailable"; readonly fetchedAt: string };

export type ReadStatus = Answer["status"];

/**
 * A source of item data. Answers every id asked for exactly once, in the order asked, by the
 * deadline; it never throws for what a source does (that is `unavailable`), only for broken
 * configuration.
 */
export interface Scraper {
  read(request: ReadRequest): Promise<readonly Answer[]>;
}

export interface OffersReadRequest {
  readonly marketplace: string;
  /** Normalised, unique ids of retailer_a. */
  readonly ids: readonly string[];
  /** When the answer must be there: ids not read by then are `unavailable`. */
  readonly deadline: Date;
}

/** One listing's offers. `fetchedAt` is ISO 8601 UTC. */
export type OffersAnswer =
  | {
      readonly id: string;
      readonly status: "ok";
      readonly fetchedAt: string;
      /** Offers in every condition, the buy box included, shown or not. */
      readonly totalOffers: number;
      /** Offers in every condition, in any order, the featured one among them if there is one. */
      readonly offers: readonly Offer[];
    }
  /** The source positively says that there is no such item; charged. */
  | { readonly id: string; readonly status: "not_found"; readonly fetchedAt: string }
  /** Everything else. */
  | { readonly id: string; readonly status: "unavailable"; readonly fetchedAt: string };

/** Offers of a listing: what the source counts, and never less than what it shows. */
export const totalOffersOf = (answer: Extract<OffersAnswer, { status: "ok" }>): number =>
  Math.max(answer.totalOffers, answer.offers.length);

/** A source of offers; answers and throws as a `Scraper` does. */
export interface OfferScraper {
  readOffers(request: OffersReadRequest): Promise<readonly OffersAnswer[]>;
}

/** One offer of one item, its id decoded. */
export interface OfferReference {
  readonly asin: string;
  readonly offerListingId: string;
}

export interface OffersCheckRequest {
  readonly marketplace: string;
  /** Unique pairs. */
  readonly offers: readonly OfferReference[];
  /** When the answer must be there: offers not checked by then are `unavailable`. */
  readonly deadline: Date;
}

/** `buyable` is false for what is no offer of that item, for whatever reason. */
export type OfferCheckAnswer = OfferReference & { readonly fetchedAt: string } & (
    | { readonly status: "ok"; readonly buyable: boolean }
    | { readonly status: "unavailable" }
  );

/** Says whether exact offers can be bought now; answers and throws as a `Scraper` does. */
export interface OfferChecker {
  checkOffers(request: OffersCheckRequest): Promise<readonly OfferCheckAnswer[]>;
}
