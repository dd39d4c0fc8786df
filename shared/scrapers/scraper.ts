import type { ScraperId } from "./catalog.ts";
import type { Offer } from "./offer.ts";

/**
 * Fields of a product read, with the names of a product result (such as `RetailerDFields`). A field
 * is absent if the source does not show it, and null if it is known to have no value.
 */
export type ProductFields = Readonly<Record<string, unknown>>;

/** A read of products by one scraper. */
export interface ReadRequest {
  readonly scraper: ScraperId;
  readonly marketplace: string;
  /** Normalized, unique IDs of the scraper's platform. */
  readonly ids: readonly string[];
  /** Time at which the read must return. IDs not read by then are `unavailable`. */
  readonly deadline: Date;
}

/** The answer for one item. `fetchedAt` is an ISO 8601 time in UTC. */
export type Answer =
  /** All fields that the tier promises were read. */
  | {
      readonly id: string;
      readonly status: "ok";
      readonly fetchedAt: string;
      readonly fields: ProductFields;
    }
  /** The item exists, but a field that the tier promises is missing. */
  | {
      readonly id: string;
      readonly status: "partial";
      readonly fetchedAt: string;
      readonly fields: ProductFields;
    }
  /**
   * The source reports that the item does not exist. The answer is charged, and a run then delists
   * the item.
   */
  | { readonly id: string; readonly status: "not_found"; readonly fetchedAt: string }
  /**
   * The item was not read, and may or may not exist, for example because the source failed. Not
   * charged.
   */
  | { readonly id: string; readonly status: "unavailable"; readonly fetchedAt: string };

export type ReadStatus = Answer["status"];

/**
 * A source of product data. Returns one answer for each requested ID, in the order of the request,
 * by the deadline. If the source fails, the answer is `unavailable`. Only an invalid configuration
 * throws.
 */
export interface Scraper {
  read(request: ReadRequest): Promise<readonly Answer[]>;
}

/** A read of the offers of listings. */
export interface OffersReadRequest {
  readonly marketplace: string;
  /** Normalized, unique IDs of retailer_a. */
  readonly ids: readonly string[];
  /** Time at which the read must return. IDs not read by then are `unavailable`. */
  readonly deadline: Date;
}

/** The offers of one listing. `fetchedAt` is an ISO 8601 time in UTC. */
export type OffersAnswer =
  | {
      readonly id: string;
      readonly status: "ok";
      readonly fetchedAt: string;
      /**
       * Number of offers in all conditions, as the source counts them. It includes offers that are
       * not in `offers`.
       */
      readonly totalOffers: number;
      /**
       * Offers that were read, in all conditions and in any order. They include the featured offer,
       * if there is one.
       */
      readonly offers: readonly Offer[];
    }
  /** The source reports that the item does not exist. The answer is charged. */
  | { readonly id: string; readonly status: "not_found"; readonly fetchedAt: string }
  /**
   * The item was not read, and may or may not exist, for example because the source failed. Not
   * charged.
   */
  | { readonly id: string; readonly status: "unavailable"; readonly fetchedAt: string };

/**
 * Returns the number of offers of a listing: the count that the source reports, or the number of
 * offers in the answer if that is higher.
 */
export const totalOffersOf = (answer: Extract<OffersAnswer, { status: "ok" }>): number =>
  Math.max(answer.totalOffers, answer.offers.length);

/** A source of offers, with the same guarantees as `Scraper`. */
export interface OfferScraper {
  readOffers(request: OffersReadRequest): Promise<readonly OffersAnswer[]>;
}

/** One offer of one item. The offer ID is not URL-encoded. */
export interface OfferReference {
  readonly asin: string;
  readonly offerListingId: string;
}

/** A check of offers: which of them can be bought now. */
export interface OffersCheckRequest {
  readonly marketplace: string;
  /** The offers to check. Each pair of item and offer occurs once. */
  readonly offers: readonly OfferReference[];
  /** Time at which the check must return. Offers not checked by then are `unavailable`. */
  readonly deadline: Date;
}

/**
 * `buyable` is false if the offer cannot be bought now, or if the offer ID does not belong to an
 * offer of the item.
 */
export type OfferCheckAnswer = OfferReference & { readonly fetchedAt: string } & (
    | { readonly status: "ok"; readonly buyable: boolean }
    | { readonly status: "unavailable" }
  );

/** Checks whether offers can be bought now, with the same guarantees as `Scraper`. */
export interface OfferChecker {
  checkOffers(request: OffersCheckRequest): Promise<readonly OfferCheckAnswer[]>;
}
