/** Parses the `data` of upstream results into the fields of the API. */
import * as v from "valibot";
import { type ProductScraperId, scrapers } from "../../scrapers/catalog.ts";
import type { Offer } from "../../scrapers/offer.ts";
import { statusOfFound, productFieldSchemas, pulseStatus } from "../../scrapers/product-fields.ts";
import type { ProductFields } from "../../scrapers/scraper.ts";
import { upstreamData } from "./contract.ts";
import { readShape } from "./shape.ts";

/** The parsed data of a product result. */
export interface ProductData {
  /**
   * The status that results from the fields, which can differ from the status that the server sent.
   */
  readonly status: "ok" | "partial";
  readonly fields: ProductFields;
}

const anyFields = v.object(productFieldSchemas);

/**
 * Parses the fields of a product, and derives the product's status from them. Omits invalid fields.
 * Returns null if any price is not in `currency`.
 * @param data the unparsed `data` of the upstream result
 * @param currency the ISO 4217 code of the marketplace's currency
 */
export function productFrom(
  scraper: ProductScraperId,
  data: unknown,
  currency: string,
): ProductData | null {
  const { platform } = scrapers[scraper];
  const read = readShape(upstreamData[scraper], data) ?? {};
  // A result always has the object of its retailer, even if the object is empty.
  const fields = v.parse(anyFields, { [platform]: {}, ...read });
  if (!isAllIn(currency, fields)) return null;
  const status =
    scraper === "retailer_a.pulse"
      ? pulseStatus({ ...fields, retailer_a: fields.retailer_a ?? {} })
      : statusOfFound(fields);
  return { status, fields };
}

/** The parsed data of an offers result. */
export interface OffersData {
  readonly totalOffers: number;
  readonly offers: readonly Offer[];
}

/**
 * Parses the offers of a listing. If several offers have the same ID, uses the first of them. If
 * several offers are marked as the offer in the buy box, only the first of them keeps this mark.
 * Returns null if any offer is invalid or not in `currency`.
 * @param data the unparsed `data` of the upstream result
 * @param currency the ISO 4217 code of the marketplace's currency
 */
export function offersFrom(data: unknown, currency: string): OffersData | null {
  const schema = upstreamData["retailer_a.offers"];
  const read = v.safeParse(schema, readShape(schema, data));
  if (!read.success || !isAllIn(currency, read.output)) return null;
  const { totalOffers } = read.output;
  const offers = eachOnce(read.output.offers);
  const featured = offers.find(({ isBuybox }) => isBuybox);
  return { totalOffers, offers: offers.map((offer) => onlyFeatured(offer, featured)) };
}

/** Removes all but the first of the offers with the same ID. */
function eachOnce(offers: readonly Offer[]): readonly Offer[] {
  const byId = new Map<string, Offer>();
  for (const offer of offers) {
    if (!byId.has(offer.offerListingId)) byId.set(offer.offerListingId, offer);
  }
  return [...byId.values()];
}

/** Sets `isBuybox` to false for an offer that is not the `featured` one. */
const onlyFeatured = (offer: Offer, featured: Offer | undefined): Offer =>
  offer.isBuybox && offer !== featured ? { ...offer, isBuybox: false } : offer;

/** Returns whether an offer is buyable; undefined if `data` does not report it. */
export function buyableFrom(data: unknown): boolean | undefined {
  const schema = upstreamData["retailer_a.offer_check"];
  const read = v.safeParse(schema, readShape(schema, data));
  return read.success ? read.output.buyable : undefined;
}

/**
 * Returns true if every field named `currency`, at any depth of the value, equals the given
 * currency.
 */
function isAllIn(currency: string, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, inner]: [string, unknown]) =>
    name === "currency" && typeof inner === "string"
      ? inner === currency
      : isAllIn(currency, inner),
  );
}
