import * as v from "valibot";
import type { ProductScraperId } from "./catalog.ts";

/**
 * The fields of a product result (specification, section "Product result"). A field is absent if
 * the retailer does not show it, and null if it is known to have no value. Snapshots, routes and
 * changes use the same names.
 */

const describe = <Schema extends v.GenericSchema>(
  schema: Schema,
  description: string,
): v.SchemaWithPipe<readonly [Schema, v.DescriptionAction<v.InferOutput<Schema>, string>]> =>
  v.pipe(schema, v.description(description));

/**
 * Schema of a string that currently has one of `values`. Later releases may add values, so clients
 * must accept other strings.
 */
const openSet = (values: readonly string[]): v.GenericSchema<string> =>
  v.pipe(v.string(), v.description("More values may be added."), v.examples([...values]));

const moneySchema = v.pipe(
  v.object({ amount: v.number(), currency: describe(v.string(), "ISO 4217.") }),
  v.title("Money"),
);

/** Schema of a selling price, which is greater than 0. A price of 0 counts as unknown. */
const sellingAmount = v.pipe(v.number(), v.gtValue(0));

const priceSchema = v.pipe(
  v.object({ amount: sellingAmount, currency: moneySchema.entries.currency }),
  v.title("Price"),
);

const priceNumber = describe(v.number(), "In the marketplace currency.");
const sellingPrice = describe(sellingAmount, "In the marketplace currency.");
const count = v.pipe(v.number(), v.integer(), v.minValue(0));

const commonFields = {
  title: v.optional(v.string()),
  url: v.optional(describe(v.string(), "Product page on the marketplace.")),
  price: v.optional(describe(v.nullable(priceSchema), "Featured (buy-box) price.")),
  availability: v.optional(v.object({ inStock: v.boolean(), message: v.string() })),
  seller: v.optional(v.nullable(v.object({ name: v.string() }))),
  fulfillment: v.optional(
    v.nullable(v.object({ byPlatform: v.boolean(), name: v.optional(v.string()) })),
  ),
  images: v.optional(v.array(v.string())),
};

/** Known values of `availabilityType` on retailer_a. More may be added. */
export const availabilityTypes = [
  "in_stock",
  "in_stock_scarce",
  "leadtime",
  "preorder",
  "available_date",
  "out_of_stock",
  "unavailable",
  "unknown",
] as const;
export type AvailabilityType = (typeof availabilityTypes)[number];

const buyboxSchema = v.object({
  offerListingId: describe(v.string(), "The exact offer; POST /v1/offers/check takes it."),
  price: sellingPrice,
  condition: v.string(),
  merchant: describe(
    v.object({ id: v.string(), name: v.string() }),
    "Watchlists compare merchants by id: `merchant` of a snapshot is the id.",
  ),
  isFba: describe(v.boolean(), "Shipped by the retailer."),
  availabilityType: openSet(availabilityTypes),
});

const deliverySchema = v.object({
  date: describe(v.string(), "First day of the promise, YYYY-MM-DD."),
  latestDate: v.optional(describe(v.string(), "Last day, when the promise is a range.")),
  message: v.string(),
  free: v.boolean(),
});

const counts = {
  newCount: v.optional(describe(count, "Offers in new condition.")),
  newMinPrice: v.optional(
    describe(v.nullable(sellingAmount), "Lowest new price; null when there is no new offer."),
  ),
};

/** Schema of the fields that only results of retailer_a have. */
export const retailerAObject = v.pipe(
  v.object({
    ...counts,
    usedCount: v.optional(
      describe(
        count,
        "Offers in a used condition (used_like_new to used_acceptable). Refurbished and collectible " +
          "offers are not counted.",
      ),
    ),
    usedMinPrice: v.optional(
      describe(
        v.nullable(sellingAmount),
        "Lowest price of the offers in usedCount; null when there is none.",
      ),
    ),
    brand: v.optional(v.string()),
    displayCategory: v.optional(v.string()),
    listPrice: v.optional(v.nullable(v.number())),
    buybox: v.optional(describe(v.nullable(buyboxSchema), "Null when no offer is featured.")),
    rating: v.optional(v.number()),
    reviewsCount: v.optional(count),
    delivery: v.optional(describe(v.nullable(deliverySchema), "Null when nothing is promised.")),
    description: v.optional(describe(v.array(v.string()), "`full` only; one entry per paragraph.")),
    attributes: v.optional(v.array(v.object({ name: v.string(), value: v.string() }))),
    isParent: v.optional(
      describe(v.boolean(), "`full` only; true for a parent listing with no buyable option."),
    ),
  }),
  v.title("RetailerAProduct"),
  v.description("`pulse` shows `newCount` and `newMinPrice` only."),
);

/** Known values of `offerType` on retailer_b. More may be added. */
export const offerTypes = ["ONLINE_AND_STORE", "ONLINE_ONLY", "STORE_ONLY"] as const;

/** Schema of the fields that only results of retailer_b have. */
export const retailerBObject = v.pipe(
  v.object({
    brand: v.optional(v.string()),
    upc: v.optional(v.string()),
    modelNumber: v.optional(v.string()),
    parentId: v.optional(v.string()),
    listPrice: v.optional(v.nullable(moneySchema)),
    offerId: v.optional(v.nullable(v.string())),
    offerType: v.optional(openSet(offerTypes)),
    thirdPartySeller: v.optional(v.boolean()),
    onlineAvailable: v.optional(v.boolean()),
    shipping: v.optional(
      v.object({
        standard: v.optional(moneySchema),
        twoDayEligible: v.optional(v.boolean()),
        freeOverThreshold: v.optional(v.boolean()),
      }),
    ),
    maxPerOrder: v.optional(v.pipe(v.number(), v.integer())),
    clearance: v.optional(v.boolean()),
    preOrder: v.optional(v.boolean()),
    condition: v.optional(v.string()),
    category: v.optional(v.string()),
    rating: v.optional(v.number()),
    reviewsCount: v.optional(count),
    color: v.optional(v.string()),
  }),
  v.title("RetailerBProduct"),
);

/** Known values of `shipping` and `pickup` on retailer_c. More may be added. */
export const fulfillmentStates = [
  "IN_STOCK",
  "LIMITED_STOCK",
  "OUT_OF_STOCK",
  "PRE_ORDER",
  "UNAVAILABLE",
] as const;
export type FulfillmentState = (typeof fulfillmentStates)[number];

/** Schema of the fields that only results of retailer_c have. */
export const retailerCObject = v.pipe(
  v.object({
    tcin: v.optional(
      describe(
        v.string(),
        "ID of the product that was read: `id` or, for a variation parent, its featured variant.",
      ),
    ),
    regularPrice: v.optional(v.nullable(priceNumber)),
    shipping: v.optional(openSet(fulfillmentStates)),
    pickup: v.optional(describe(openSet(fulfillmentStates), "Store pickup.")),
  }),
  v.title("RetailerCProduct"),
);

/** Known values of `state` on retailer_d. The retailer may add more. */
export const retailerDStates = [
  "ADD_TO_CART",
  "PRE_ORDER",
  "SOLD_OUT",
  "COMING_SOON",
  "CHECK_STORES",
  "NOT_AVAILABLE",
] as const;
export type RetailerDState = (typeof retailerDStates)[number];

/** Schema of the fields that only results of retailer_d have. */
export const retailerDObject = v.pipe(
  v.object({
    state: v.optional(openSet(retailerDStates)),
    regularPrice: v.optional(v.nullable(priceNumber)),
    savings: v.optional(v.nullable(priceNumber)),
    brand: v.optional(v.string()),
    condition: v.optional(v.string()),
    category: v.optional(v.string()),
    purchasable: v.optional(v.boolean()),
  }),
  v.title("RetailerDProduct"),
);

/** Schemas of the fields of a product result, except ID, status and time. */
export const productFieldSchemas = {
  ...commonFields,
  retailer_a: v.optional(retailerAObject),
  retailer_b: v.optional(retailerBObject),
  retailer_c: v.optional(retailerCObject),
  retailer_d: v.optional(retailerDObject),
};

type DeepReadonly<Value> = Value extends object
  ? { readonly [Key in keyof Value]: DeepReadonly<Value[Key]> }
  : Value;
type Fields<Entries extends v.ObjectEntries> = DeepReadonly<
  v.InferOutput<v.ObjectSchema<Entries, undefined>>
>;

/** The fields that results of all platforms have. */
export type CommonFields = Fields<typeof commonFields>;
export type RetailerAObject = DeepReadonly<v.InferOutput<typeof retailerAObject>>;
export type RetailerBObject = DeepReadonly<v.InferOutput<typeof retailerBObject>>;
export type RetailerCObject = DeepReadonly<v.InferOutput<typeof retailerCObject>>;
export type RetailerDObject = DeepReadonly<v.InferOutput<typeof retailerDObject>>;

/** Type of the `fields` of an answer, for each platform. */
export type RetailerAFields = CommonFields & { readonly retailer_a: RetailerAObject };
export type RetailerBFields = CommonFields & { readonly retailer_b: RetailerBObject };
export type RetailerCFields = CommonFields & { readonly retailer_c: RetailerCObject };
export type RetailerDFields = CommonFields & { readonly retailer_d: RetailerDObject };

const oneTierNames = ["title", "url", "price", "availability", "seller", "fulfillment", "images"];
const liteNames = oneTierNames.filter((name) => name !== "images");

/**
 * Names of a result's fields, in the order of the response. A response never contains other fields.
 */
export const productFieldNames: Readonly<Record<ProductScraperId, readonly string[]>> = {
  "retailer_a.pulse": ["retailer_a"],
  "retailer_a.lite": [...liteNames, "retailer_a"],
  "retailer_a.full": [...oneTierNames, "retailer_a"],
  "retailer_b.standard": [...oneTierNames, "retailer_b"],
  "retailer_c.standard": [...oneTierNames, "retailer_c"],
  "retailer_d.standard": [...oneTierNames, "retailer_d"],
};

/**
 * Returns the status of an answer for an item that exists. `ok` requires a title, the availability,
 * and a price unless the item is out of stock. Otherwise the status is `partial`. A price of null
 * or 0 counts as missing.
 */
export function statusOfFound({ title, availability, price }: CommonFields): "ok" | "partial" {
  if (title === undefined || availability === undefined) return "partial";
  return !availability.inStock || (price?.amount ?? 0) > 0 ? "ok" : "partial";
}

/**
 * Returns the status of a `retailer_a.pulse` answer. `ok` requires the number of new offers and
 * their lowest price, which may be null. Otherwise the status is `partial`.
 */
export function pulseStatus({ retailer_a: object }: RetailerAFields): "ok" | "partial" {
  return object.newCount === undefined || object.newMinPrice === undefined ? "partial" : "ok";
}
