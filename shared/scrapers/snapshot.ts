import type { FieldValue, ScraperId, scrapers, Snapshot } from "./catalog.ts";
import { type ConditionFilter, matchesCondition } from "./offer.ts";
import {
  type OfferCheckAnswer,
  type OffersAnswer,
  type ProductFields,
  totalOffersOf,
} from "./scraper.ts";

type Path = readonly string[];
type SnapshotField<Id extends ScraperId> =
  | (typeof scrapers)[Id]["trackedFields"][number]
  | (typeof scrapers)[Id]["testableFields"][number];
type Paths<Id extends ScraperId> = Readonly<Record<SnapshotField<Id>, Path>>;

const price: Path = ["price", "amount"];
const inStock: Path = ["availability", "inStock"];
const counts = {
  newCount: ["retailer_a", "newCount"],
  newMinPrice: ["retailer_a", "newMinPrice"],
} as const;

const retailerA: Paths<"retailer_a.lite" | "retailer_a.full"> = {
  price,
  listPrice: ["retailer_a", "listPrice"],
  inStock,
  availabilityType: ["retailer_a", "buybox", "availabilityType"],
  // Sellers are compared by ID, because their names can change.
  merchant: ["retailer_a", "buybox", "merchant", "id"],
  isFba: ["retailer_a", "buybox", "isFba"],
  offerListingId: ["retailer_a", "buybox", "offerListingId"],
  condition: ["retailer_a", "buybox", "condition"],
  ...counts,
  usedCount: ["retailer_a", "usedCount"],
  usedMinPrice: ["retailer_a", "usedMinPrice"],
  deliveryDate: ["retailer_a", "delivery", "date"],
  rating: ["retailer_a", "rating"],
};

/** Paths of the snapshot fields in a product result. */
const paths: { readonly [Id in ScraperId]: Paths<Id> } = {
  "retailer_a.pulse": counts,
  "retailer_a.lite": retailerA,
  "retailer_a.full": retailerA,
  "retailer_b.standard": {
    price,
    listPrice: ["retailer_b", "listPrice", "amount"],
    inStock,
    seller: ["seller", "name"],
    byPlatform: ["fulfillment", "byPlatform"],
    thirdPartySeller: ["retailer_b", "thirdPartySeller"],
    offerId: ["retailer_b", "offerId"],
    clearance: ["retailer_b", "clearance"],
  },
  "retailer_c.standard": {
    price,
    regularPrice: ["retailer_c", "regularPrice"],
    inStock,
    shipping: ["retailer_c", "shipping"],
    pickup: ["retailer_c", "pickup"],
  },
  "retailer_d.standard": {
    price,
    inStock,
    state: ["retailer_d", "state"],
    regularPrice: ["retailer_d", "regularPrice"],
    purchasable: ["retailer_d", "purchasable"],
  },
};

/** The entries of `paths` by scraper. They are created once, not for each item that is read. */
const pathsByField: ReadonlyMap<string, readonly (readonly [string, Path])[]> = new Map(
  Object.entries(paths).map(([scraper, own]) => [scraper, Object.entries<Path>(own)]),
);

/**
 * Extracts the tracked and testable fields of a product read. A field that the read does not
 * contain is absent. A field is null if its value, or an object that contains it, is null.
 */
export function snapshotOf(scraper: ScraperId, fields: ProductFields): Snapshot {
  const snapshot: Record<string, FieldValue> = {};
  for (const [field, path] of pathsByField.get(scraper) ?? []) {
    const value = valueAt(fields, path);
    if (isFieldValue(value)) snapshot[field] = value;
  }
  return snapshot;
}

type OffersFound = Extract<OffersAnswer, { status: "ok" }>;

/**
 * Extracts the snapshot fields of an offers read. The condition filter restricts the offer count
 * and the lowest price, but not the buy box. Fields without a value are null.
 */
export function snapshotOfOffers(answer: OffersFound, condition: ConditionFilter): Snapshot {
  const { offers } = answer;
  const counted = offers.filter((offer) => matchesCondition(offer, condition));
  const featured = offers.find(({ isBuybox }) => isBuybox);
  return {
    // The source counts only the offers of all conditions together. With a filter, the offers that
    // were read are counted.
    offerCount: condition === "all" ? totalOffersOf(answer) : counted.length,
    buyboxSeller: featured?.seller.id ?? null,
    buyboxPrice: featured?.price ?? null,
    lowestPrice: counted.length === 0 ? null : Math.min(...counted.map(({ price: of }) => of)),
  };
}

/**
 * Returns the ID of the offer in the buy box, which identifies the offer in an offer check. Returns
 * null if the buy box is empty.
 */
export const buyboxOfferOf = ({ offers }: OffersFound): string | null =>
  offers.find(({ isBuybox }) => isBuybox)?.offerListingId ?? null;

/** Extracts the snapshot fields of an offer check with status `ok`. */
export const snapshotOfOfferCheck = ({
  buyable,
}: Extract<OfferCheckAnswer, { status: "ok" }>): Snapshot => ({ buyable });

/**
 * Returns the value at a path. Returns null if an object on the path is null, and undefined if the
 * value or an object on the path is absent.
 */
function valueAt(fields: ProductFields, path: Path): unknown {
  let value: unknown = fields;
  for (const key of path) {
    if (value === null) return null;
    value = isRecord(value) ? value[key] : undefined;
  }
  return value;
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Excludes numbers that JSON cannot represent, such as Infinity, because they cannot be stored or
 * compared.
 */
const isFieldValue = (value: unknown): value is FieldValue =>
  typeof value === "number"
    ? Number.isFinite(value)
    : value === null || typeof value === "string" || typeof value === "boolean";
