/** Type of a field's value. Any field may also be null. */
export type FieldType = "number" | "boolean" | "string";

/**
 * Prices in the currency of the marketplace. Two prices that differ by at most half a cent are
 * equal.
 */
export const priceFields = [
  "price",
  "listPrice",
  "regularPrice",
  "newMinPrice",
  "usedMinPrice",
  "buyboxPrice",
  "lowestPrice",
] as const;

/**
 * Fields that are calculated from the earlier values of `price`
 * (`shared/pipelines/price-trace.ts`). Every scraper that reads `price` has them.
 */
export const derivedPriceFields = [
  "previousPrice",
  "lowest30d",
  "lowest90d",
  "average30d",
  "changedCount7d",
] as const;
export type DerivedPriceField = (typeof derivedPriceFields)[number];

/**
 * Types of all fields that can be tracked or tested. A field name has the same meaning on every
 * platform.
 */
export const fieldTypes = {
  price: "number",
  listPrice: "number",
  regularPrice: "number",
  newMinPrice: "number",
  usedMinPrice: "number",
  buyboxPrice: "number",
  lowestPrice: "number",
  newCount: "number",
  usedCount: "number",
  offerCount: "number",
  rating: "number",
  previousPrice: "number",
  lowest30d: "number",
  lowest90d: "number",
  average30d: "number",
  changedCount7d: "number",
  inStock: "boolean",
  isFba: "boolean",
  byPlatform: "boolean",
  thirdPartySeller: "boolean",
  clearance: "boolean",
  purchasable: "boolean",
  buyable: "boolean",
  buyboxAboveLowest: "boolean",
  availabilityType: "string",
  /** ID of the seller. Sellers are not compared by name, because a name can change. */
  merchant: "string",
  buyboxSeller: "string",
  seller: "string",
  condition: "string",
  offerListingId: "string",
  offerId: "string",
  /** Date as YYYY-MM-DD. */
  deliveryDate: "string",
  shipping: "string",
  pickup: "string",
  state: "string",
} as const satisfies Readonly<Record<string, FieldType>>;

const types: Readonly<Record<string, FieldType | undefined>> = fieldTypes;

/**
 * Returns the type of a field that can be tracked or tested. Returns undefined for any other name.
 */
export const typeOfField = (field: string): FieldType | undefined => types[field];
