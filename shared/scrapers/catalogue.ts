import { productTier, type Platform } from "../platforms/catalogue.ts";

/** A scraper as the specification's pipeline section lists it. */
export interface ScraperEntry {
  readonly platform: Platform;
  readonly tier: string;
  /** Price of one answered item, in quarter-credits. */
  readonly costQuarters: number;
  /** Readings of one kind are compared with each other. */
  readonly kind: "standard";
  /** Fields of a snapshot; a change in any is reported by the default pipeline. */
  readonly trackedFields: readonly string[];
  /** Fields that a rule may test. */
  readonly testableFields: readonly string[];
}

/** Scrapers by id (specification, section "Pipeline"). */
export const scrapers = {
  "retailer_d.standard": {
    platform: "retailer_d",
    tier: "standard",
    costQuarters: productTier("retailer_d", "standard").costQuarters,
    kind: "standard",
    trackedFields: ["price", "inStock", "state", "regularPrice", "purchasable"],
    testableFields: ["price", "regularPrice", "inStock", "purchasable", "state"],
  },
} as const satisfies Record<string, ScraperEntry>;

export type ScraperId = keyof typeof scrapers;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a constant are known
export const scraperIds = Object.keys(scrapers) as readonly ScraperId[];

/** A value that can be compared, stored and sent: what a tracked field holds. */
export type FieldValue = string | number | boolean | null;
/** Tracked fields as last read; a field that was never observed is absent. */
export type Snapshot = Readonly<Record<string, FieldValue>>;
