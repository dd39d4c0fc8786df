/** What a field holds when it is not null. */
export type FieldType = "number" | "boolean" | "string";

/** Amounts in the marketplace currency: two within half a cent are equal. */
export const priceFields = [
  "price",
  "listPrice",
  "regularPrice",
  "newMinPrice",
  "usedMinPrice",
  "buyboxPrice",
  "lowestPrice",
] as const;

/** Every field that can be tracked or tested; a name means the same on every platform. */
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
  inStock: "boolean",
  isFba: "boolean",
  byPlatform: "boolean",
  thirdPartySeller: "boolean",
  clearance: "boolean",
  purchasable: "boolean",
  buyable: "boolean",
  buyboxAboveLowest: "boolean",
  availabilityType: "string",
  /** A seller's id, so that a new name is no change. */
  merchant: "string",
  buyboxSeller: "string",
  seller: "string",
  condition: "string",
  offerListingId: "string",
  offerId: "string",
  /** YYYY-MM-DD. */
  deliveryDate: "string",
  shipping: "string",
  pickup: "string",
  state: "string",
} as const satisfies Readonly<Record<string, FieldType>>;
