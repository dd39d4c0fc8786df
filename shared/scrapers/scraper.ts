import type { ScraperId } from "./catalogue.ts";
import type { Offer } from "./offer.ts";

/**
 * Fields of a product read, named as in a result (such as `RetailerDFields`). Absent: the source does
 * not show the field. Null: known to have no value.
 */
export type ProductFields = Readonly<Record<string, unknown>>;

export interface ReadRequest {
  readonly scraper: ScraperId;
  readonly marketplace: string;
  /** Normalised, unique IDs of the scraper's platform. */
  readonly ids: readonly string[];
  /** When the answer must be there: IDs not read by then are `unavailable`. */
  readonly deadline: Date;
}

/** The answer for one item. `fetchedAt`: ISO 8601 UTC. */
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
  /** The source reports that the item does not exist; charged, and it delists. */
  | { readonly id: string; readonly status: "not_found"; readonly fetchedAt: string }
  /** Everything else. */
  | { readonly id: string; readonly status: "unavailable"; readonly fetchedAt: string };

export type ReadStatus = Answer["status"];

/**
 * A source of product data. Returns one answer for each requested ID, in the order of the request, by
 * the deadline. A failure of the source gives `unavailable`; only an invalid configuration throws.
 */
export interface Scraper {
  read(request: ReadRequest): Promise<readonly Answer[]>;
}

export interface OffersReadRequest {
  readonly marketplace: string;
  /** Normalised, unique IDs of retailer_a. */
  readonly ids: readonly string[];
  /** When the answer must be there: IDs not read by then are `unavailable`. */
  readonly deadline: Date;
}

/** The offers of one listing. `fetchedAt`: ISO 8601 UTC. */
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
  /** The source reports that the item does not exist; charged. */
  | { readonly id: string; readonly status: "not_found"; readonly fetchedAt: string }
  /** Everything else. */
  | { readonly id: string; readonly status: "unavailable"; readonly fetchedAt: string };

/** Number of offers of a listing as the source counts them, but not less than the offers read. */
export const totalOffersOf = (answer: Extract<OffersAnswer, { status: "ok" }>): number =>
  Math.max(answer.totalOffers, answer.offers.length);

/** A source of offers, with the same guarantees as `Scraper`. */
export interface OfferScraper {
  readOffers(request: OffersReadRequest): Promise<readonly OffersAnswer[]>;
}

/** One offer of one item. The ID is decoded. */
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

/** `buyable`: false also if the ID is not an offer of the item. */
export type OfferCheckAnswer = OfferReference & { readonly fetchedAt: string } & (
    | { readonly status: "ok"; readonly buyable: boolean }
    | { readonly status: "unavailable" }
  );

/** Checks whether offers can be bought now, with the same guarantees as `Scraper`. */
export interface OfferChecker {
  checkOffers(request: OffersCheckRequest): Promise<readonly OfferCheckAnswer[]>;
}
