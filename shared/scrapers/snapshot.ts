import type { FieldValue, ScraperId, scrapers, Snapshot } from "./catalogue.ts";
import { type ConditionFilter, passes } from "./offer.ts";
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
  // A merchant may change its name and stay the same: what counts, and what is kept, is the id.
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

/** Where each field stands in a result; a snapshot's key is the field's own name. */
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

/**
 * The tracked and testable fields of a read, flat. A field that the read does not show is absent (not observed); where
 * the field or what holds it is null, null is the value.
 */
export function snapshotOf(scraper: ScraperId, fields: ProductFields): Snapshot {
  const snapshot: Record<string, FieldValue> = {};
  for (const [field, path] of Object.entries<Path>(paths[scraper])) {
    const value = valueAt(fields, path);
    if (isFieldValue(value)) snapshot[field] = value;
  }
  return snapshot;
}

type OffersFound = Extract<OffersAnswer, { status: "ok" }>;

/**
 * The fields of an offers read, flat. The condition decides which offers are counted and which of
 * them is the cheapest, the buy box is the listing's own in any case. Null where there is none.
 */
export function snapshotOfOffers(answer: OffersFound, condition: ConditionFilter): Snapshot {
  const { offers } = answer;
  const counted = offers.filter((offer) => passes(offer, condition));
  const featured = offers.find(({ isBuybox }) => isBuybox);
  return {
    // Of all conditions the source tells the number, of one only what it shows can be counted.
    offerCount: condition === "all" ? totalOffersOf(answer) : counted.length,
    buyboxSeller: featured?.seller.id ?? null,
    buyboxPrice: featured?.price ?? null,
    lowestPrice: counted.length === 0 ? null : Math.min(...counted.map(({ price: of }) => of)),
  };
}

/** The offer that holds the buy box, which an offer check can ask about; null when none does. */
export const buyboxOfferOf = ({ offers }: OffersFound): string | null =>
  offers.find(({ isBuybox }) => isBuybox)?.offerListingId ?? null;

/** The fields of an offer check, flat. */
export const snapshotOfOfferCheck = ({
  buyable,
}: Extract<OfferCheckAnswer, { status: "ok" }>): Snapshot => ({ buyable });

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

/** No number that JSON cannot hold: it could be neither stored nor compared. */
const isFieldValue = (value: unknown): value is FieldValue =>
  typeof value === "number"
    ? Number.isFinite(value)
    : value === null || typeof value === "string" || typeof value === "boolean";
