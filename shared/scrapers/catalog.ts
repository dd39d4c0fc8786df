import { assert } from "../base/assert.ts";
import {
  type EndpointId,
  type Platform,
  type PlatformEntry,
  platforms,
  productTier,
} from "../platforms/catalog.ts";
import { derivedPriceFields, type FieldType, fieldTypes } from "./fields.ts";

/**
 * Kinds of readings. Only readings of the same kind are compared. Each condition filter of offers
 * has a separate kind, because another filter changes the counts and prices.
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
  /** The products tier that the scraper reads. */
  readonly tier: string;
  /** Price of one answered item, in quarter-credits. */
  readonly costQuarters: number;
  readonly kind: ReadingKind;
  /** Fields whose changes the default pipeline reports. Every snapshot contains them. */
  readonly trackedFields: readonly string[];
  /** Fields that a route may test. Every snapshot contains them. */
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

/** ID of a scraper that reads products. */
export type ProductScraperId = keyof typeof scrapers;
export type ScraperId = ProductScraperId;

/**
 * IDs of the scrapers that read or check offers. Like product scrapers, they have configured
 * sources.
 */
export const offerScraperIds = ["retailer_a.offers", "retailer_a.offer_check"] as const;
export type OfferScraperId = (typeof offerScraperIds)[number];

/** ID of a scraper that a pipeline step can use. */
export type StepScraperId = ProductScraperId | OfferScraperId;

/** Properties of a scraper that a pipeline step can use (specification, section "Pipeline"). */
export interface StepScraperEntry {
  readonly platform: Platform;
  /** The item call whose prices and marketplaces also apply to the scraper. */
  readonly endpoint: EndpointId;
  /** The products tier that the scraper reads; for offer scrapers, the name of the call. */
  readonly tier: string;
  /** The kind of the scraper's readings, if its step has no condition filter. */
  readonly kind: ReadingKind;
  /** Maximum cost of an item, in quarter-credits. A step reserves it for each item. */
  readonly reserveQuarters: number;
  /** Maximum number of items per call. */
  readonly itemsPerCallMax: number;
  /** Minimum cost of an answered item, in quarter-credits. */
  readonly leastQuarters: number;
  /** Fields whose changes the default pipeline reports. Every snapshot contains them. */
  readonly trackedFields: readonly string[];
  /** Fields that a route may test with `changed` and `ok`. Every snapshot contains them. */
  readonly testableFields: readonly string[];
  /**
   * Fields that are calculated from several readings or from earlier prices. No reading contains
   * them. Routes can test them only with `ok` and in `where`.
   */
  readonly derivedFields: readonly string[];
  /**
   * The names in `fieldTypes`, in the same order. The array is created once, because creating it
   * for each item would slow down large reads.
   */
  readonly fieldNames: readonly string[];
  /** Type of each field of this scraper. Any field may also be null. */
  readonly fieldTypes: Readonly<Record<string, FieldType>>;
}

const offerFields = ["offerCount", "buyboxSeller", "buyboxPrice", "lowestPrice"] as const;
const offerCheckFields = ["buyable"] as const;

/** All scrapers that a pipeline step can use, by ID (specification, section "Pipeline"). */
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

/**
 * Returns the properties of a product scraper in a pipeline.
 * @param ownDerivedFields derived fields in addition to those of `price`
 */
function productStep(
  id: ProductScraperId,
  ownDerivedFields: readonly string[] = [],
): StepScraperEntry {
  const { costQuarters, ...entry }: ScraperEntry = scrapers[id];
  const derivedFields = [
    ...ownDerivedFields,
    ...(entry.testableFields.includes("price") ? derivedPriceFields : []),
  ];
  const types = typesOf([...entry.testableFields, ...entry.trackedFields, ...derivedFields]);
  return {
    ...entry,
    endpoint: "products",
    reserveQuarters: costQuarters,
    leastQuarters: costQuarters,
    itemsPerCallMax: productTier(entry.platform, entry.tier).itemsPerCallMax,
    derivedFields,
    fieldNames: Object.keys(types),
    fieldTypes: types,
  };
}

/** Returns the properties of a scraper of offers in a pipeline. */
function offerStep(
  endpoint: "offers" | "offer_check",
  fields: readonly string[],
): StepScraperEntry {
  const platform: PlatformEntry = platforms.retailer_a;
  const tiers = platform.endpoints.find(({ id }) => id === endpoint)?.tiers ?? [];
  const quarters = tiers.map(({ costQuarters }) => costQuarters);
  assert(quarters.length > 0, "an offers endpoint must have at least one tier");
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
    fieldNames: fields,
    fieldTypes: typesOf(fields),
  };
}

/**
 * Returns the type of each field.
 * @throws Error for a field without a type
 */
function typesOf(fields: readonly string[]): Readonly<Record<string, FieldType>> {
  const known: Readonly<Record<string, FieldType>> = fieldTypes;
  return Object.fromEntries(
    fields.map((field) => {
      const type = known[field];
      assert(type !== undefined, "every field of a scraper must have a type");
      return [field, type];
    }),
  );
}

/** The value of a tracked field. */
export type FieldValue = string | number | boolean | null;
/** Tracked and testable fields of a reading, by name. A field that was not read is absent. */
export type Snapshot = Readonly<Record<string, FieldValue>>;
