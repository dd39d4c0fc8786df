/** What `data` of a result says, as far as it can be used. */
import * as v from "valibot";
import { type ProductScraperId, scrapers } from "../../scrapers/catalogue.ts";
import type { Offer } from "../../scrapers/offer.ts";
import { foundStatus, productFieldSchemas, pulseStatus } from "../../scrapers/product-fields.ts";
import type { ProductFields } from "../../scrapers/scraper.ts";
import { upstreamData } from "./contract.ts";
import { readShape } from "./shape.ts";

export interface FoundProduct {
  /** What the fields amount to. */
  readonly status: "ok" | "partial";
  readonly fields: ProductFields;
}

const anyFields = v.object(productFieldSchemas);

/** The fields of a product; null when they are of another country's shop, by their currency. */
export function productFrom(
  scraper: ProductScraperId,
  data: unknown,
  currency: string,
): FoundProduct | null {
  const { platform } = scrapers[scraper];
  const read = readShape(upstreamData[scraper], data) ?? {};
  // A result always has its retailer's own object, if only an empty one.
  const fields = v.parse(anyFields, { [platform]: {}, ...read });
  if (!isAllIn(currency, fields)) return null;
  const status =
    scraper === "retailer_a.pulse"
      ? pulseStatus({ ...fields, retailer_a: fields.retailer_a ?? {} })
      : foundStatus(fields);
  return { status, fields };
}

export interface FoundOffers {
  readonly totalOffers: number;
  readonly offers: readonly Offer[];
}

/** The offers of a listing; null unless every one of them can be read. */
export function offersFrom(data: unknown, currency: string): FoundOffers | null {
  const schema = upstreamData["retailer_a.offers"];
  const read = v.safeParse(schema, readShape(schema, data));
  if (!read.success || !isAllIn(currency, read.output)) return null;
  const { totalOffers } = read.output;
  const offers = eachOnce(read.output.offers);
  const featured = offers.find(({ isBuybox }) => isBuybox);
  return { totalOffers, offers: offers.map((offer) => onlyFeatured(offer, featured)) };
}

/** An id means one offer: of several that are said to have it, the first. */
function eachOnce(offers: readonly Offer[]): readonly Offer[] {
  const byId = new Map<string, Offer>();
  for (const offer of offers) {
    if (!byId.has(offer.offerListingId)) byId.set(offer.offerListingId, offer);
  }
  return [...byId.values()];
}

/** One offer holds the buy box: of several that are said to, the first. */
const onlyFeatured = (offer: Offer, featured: Offer | undefined): Offer =>
  offer.isBuybox && offer !== featured ? { ...offer, isBuybox: false } : offer;

/** Whether an offer can be bought; undefined where nothing is said. */
export function buyableFrom(data: unknown): boolean | undefined {
  const schema = upstreamData["retailer_a.offer_check"];
  const read = v.safeParse(schema, readShape(schema, data));
  return read.success ? read.output.buyable : undefined;
}

/** Whether every currency that is named, however deep, is this one. */
function isAllIn(currency: string, value: unknown): boolean {
  if (typeof value !== "object" || value === null) return true;
  return Object.entries(value).every(([name, inner]: [string, unknown]) =>
    name === "currency" && typeof inner === "string"
      ? inner === currency
      : isAllIn(currency, inner),
  );
}
