import { assert } from "../base/assert.ts";
import {
  type EndpointId,
  type Platform,
  type PlatformEntry,
  platforms,
  productTier,
} from "../platforms/catalogue.ts";
import { type FieldType, fieldTypes } from "./fields.ts";

/**
 * Kinds of readings. Only readings of the same kind are compared. Offers of each condition are a
 * separate kind, because counts and prices of other offers differ without a change.
 */
export type ReadingKind =
  | "pulse"
  | "product"
  | "standard"
  | "offers"
  | "offers_new"
  | "offers_used"
  | "offer_check";

/** A product scraper (specification, section "Pipeline"). */
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

/** Scrapers of products by ID (specification, section "Pipeline"). */
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

/** Scrapers that read and check offers. Sources are configured for them too. */
export const offerScraperIds = ["retailer_a.offers", "retailer_a.offer_check"] as const;
export type OfferScraperId = (typeof offerScraperIds)[number];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant are known
export const scraperIds = Object.keys(scrapers) as readonly ScraperId[];

/** A scraper of a pipeline step. */
export type StepScraperId = ProductScraperId | OfferScraperId;

/** A scraper of pipeline steps (specification, section "Pipeline"). */
export interface StepScraperEntry {
  readonly platform: Platform;
  /** The item call with the same price. The scraper is live where this call is. */
  readonly endpoint: EndpointId;
  /** The products tier that it reads, or the name of the call. */
  readonly tier: string;
  /** The kind of a reading without a condition. */
  readonly kind: ReadingKind;
  /** Maximum cost of an item in quarter-credits, which a step reserves. */
  readonly reserveQuarters: number;
  /** Maximum number of items of one call. */
  readonly itemsPerCallMax: number;
  /** Minimum cost of an answered item, in quarter-credits. */
  readonly leastQuarters: number;
  /** Fields of which a change is reported by the default pipeline; in every snapshot. */
  readonly trackedFields: readonly string[];
  /** Fields that a rule may test with `changed` and `ok`; in every snapshot too. */
  readonly testableFields: readonly string[];
  /** Fields derived from several readings. Not stored; routes test them with `ok` only. */
  readonly derivedFields: readonly string[];
  /** Type of each field of this scraper, for values other than null. */
  readonly fieldTypes: Readonly<Record<string, FieldType>>;
}

const offerFields = ["offerCount", "buyboxSeller", "buyboxPrice", "lowestPrice"] as const;
const offerCheckFields = ["buyable"] as const;

/** All scrapers of pipeline steps by ID (same section). */
export const stepScrapers: Readonly<Record<StepScraperId, StepScraperEntry>> = {
  "retailer_a.pulse": productStep("retailer_a.pulse", ["buyboxAboveLowest"]),
  "retailer_a.lite": productStep("retailer_a.lite"),
  "retailer_a.full": productStep("retailer_a.full"),
  "retailer_a.offers": offerStep("offers", offerFields),
  "retailer_a.offer_check": offerStep("offer_check", offerCheckFields),
  "retailer_b.standard": productStep("retailer_b.standard"),
  "retailer_c.standard": productStep("retailer_c.standard"),
  "retailer_d.standard": productStep("retailer_d.standard"),
};

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant are known
export const stepScraperIds = Object.keys(stepScrapers) as readonly StepScraperId[];

function productStep(
  id: ProductScraperId,
  derivedFields: readonly string[] = [],
): StepScraperEntry {
  const { costQuarters, ...entry }: ScraperEntry = scrapers[id];
  return {
    ...entry,
    endpoint: "products",
    reserveQuarters: costQuarters,
    leastQuarters: costQuarters,
    itemsPerCallMax: productTier(entry.platform, entry.tier).itemsPerCallMax,
    derivedFields,
    fieldTypes: typesOf([...entry.testableFields, ...entry.trackedFields, ...derivedFields]),
  };
}

function offerStep(
  endpoint: "offers" | "offer_check",
  fields: readonly string[],
): StepScraperEntry {
  const platform: PlatformEntry = platforms.retailer_a;
  const tiers = platform.endpoints.find(({ id }) => id === endpoint)?.tiers ?? [];
  const quarters = tiers.map(({ costQuarters }) => costQuarters);
  assert(quarters.length > 0, "what a step charges has a price");
  return {
    platform: "retailer_a",
    endpoint,
    tier: endpoint,
    kind: endpoint,
    reserveQuarters: Math.max(...quarters),
    leastQuarters: Math.min(...quarters),
    itemsPerCallMax: Math.min(...tiers.map(({ itemsPerCallMax }) => itemsPerCallMax)),
    trackedFields: fields,
    testableFields: fields,
    derivedFields: [],
    fieldTypes: typesOf(fields),
  };
}

function typesOf(fields: readonly string[]): Readonly<Record<string, FieldType>> {
  const known: Readonly<Record<string, FieldType>> = fieldTypes;
  return Object.fromEntries(
    fields.map((field) => {
      const type = known[field];
      assert(type !== undefined, "every field of a scraper has a type");
      return [field, type];
    }),
  );
}

/** The value of a tracked field. */
export type FieldValue = string | number | boolean | null;
/** Tracked and testable fields of the last read. A field that was never read is absent. */
export type Snapshot = Readonly<Record<string, FieldValue>>;
