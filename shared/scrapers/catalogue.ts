import { productTier, type Platform } from "../platforms/catalogue.ts";

/** Readings of one kind are compared with each other. */
export type ReadingKind = "pulse" | "product" | "standard" | "offers" | "offer_check";

/** A scraper as the specification's pipeline section lists it. */
export interface ScraperEntry {
  readonly platform: Platform;
  /** The products tier that it reads. */
  readonly tier: string;
  /** Price of one answered item, in quarter-credits. */
  readonly costQuarters: number;
  readonly kind: ReadingKind;
  /** Fields of which a change is reported by the default pipeline; in every snapshot. */
  readonly trackedFields: readonly string[];
  /** Fields that a rule may test; in every snapshot too. */
  readonly testableFields: readonly string[];
}

const retailerATracked = [
  "price",
  "inStock",
  "availabilityType",
  "isFba",
  "offerListingId",
  "merchant",
  "condition",
  "newCount",
  "newMinPrice",
  "usedCount",
  "usedMinPrice",
] as const;

const retailerATestable = [
  "price",
  "listPrice",
  "inStock",
  "availabilityType",
  "merchant",
  "isFba",
  "offerListingId",
  "condition",
  "newCount",
  "newMinPrice",
  "usedCount",
  "usedMinPrice",
  "deliveryDate",
  "rating",
] as const;

/** Scrapers of products by id (specification, section "Pipeline"). */
export const scrapers = {
  "retailer_a.pulse": {
    platform: "retailer_a",
    tier: "pulse",
    costQuarters: productTier("retailer_a", "pulse").costQuarters,
    kind: "pulse",
    trackedFields: ["newCount", "newMinPrice"],
    testableFields: ["newCount", "newMinPrice"],
  },
  "retailer_a.lite": {
    platform: "retailer_a",
    tier: "lite",
    costQuarters: productTier("retailer_a", "lite").costQuarters,
    kind: "product",
    trackedFields: retailerATracked,
    testableFields: retailerATestable,
  },
  "retailer_a.full": {
    platform: "retailer_a",
    tier: "full",
    costQuarters: productTier("retailer_a", "full").costQuarters,
    kind: "product",
    trackedFields: retailerATracked,
    testableFields: retailerATestable,
  },
  "retailer_b.standard": {
    platform: "retailer_b",
    tier: "standard",
    costQuarters: productTier("retailer_b", "standard").costQuarters,
    kind: "standard",
    trackedFields: [
      "price",
      "listPrice",
      "inStock",
      "seller",
      "byPlatform",
      "thirdPartySeller",
      "offerId",
      "clearance",
    ],
    testableFields: ["price", "listPrice", "inStock", "seller", "byPlatform", "clearance"],
  },
  "retailer_c.standard": {
    platform: "retailer_c",
    tier: "standard",
    costQuarters: productTier("retailer_c", "standard").costQuarters,
    kind: "standard",
    trackedFields: ["price", "regularPrice", "inStock", "shipping", "pickup"],
    testableFields: ["price", "regularPrice", "inStock", "shipping", "pickup"],
  },
  "retailer_d.standard": {
    platform: "retailer_d",
    tier: "standard",
    costQuarters: productTier("retailer_d", "standard").costQuarters,
    kind: "standard",
    trackedFields: ["price", "inStock", "state", "regularPrice", "purchasable"],
    testableFields: ["price", "regularPrice", "inStock", "purchasable", "state"],
  },
} as const satisfies Record<string, ScraperEntry>;

/** A scraper of products. */
export type ProductScraperId = keyof typeof scrapers;
export type ScraperId = ProductScraperId;

/** What reads offers and checks them: sources are configured for these too. */
export const offerScraperIds = ["retailer_a.offers", "retailer_a.offer_check"] as const;
export type OfferScraperId = (typeof offerScraperIds)[number];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant are known
export const scraperIds = Object.keys(scrapers) as readonly ScraperId[];

/** A value that can be compared, stored and sent: what a tracked field holds. */
export type FieldValue = string | number | boolean | null;
/** Tracked and testable fields as last read; a field that was never observed is absent. */
export type Snapshot = Readonly<Record<string, FieldValue>>;
