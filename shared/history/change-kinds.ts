import type { FieldValue } from "../scrapers/catalogue.ts";

/** What a change means to a person who watches prices. `other`: none of the other kinds. */
export const changeKinds = [
  "price_drop",
  "price_rise",
  "back_in_stock",
  "sold_out",
  "delisted",
  "new_seller",
  "other",
] as const;

export type ChangeKind = (typeof changeKinds)[number];

/** Name under which a list of changes shows that an item was delisted. No scraper has this field. */
export const stateField = "state_of_item";

/** Fields with a price at which the item can be bought. List prices and used prices are not. */
const priceFields: ReadonlySet<string> = new Set([
  "price",
  "newMinPrice",
  "lowestPrice",
  "buyboxPrice",
]);
const sellerFields: ReadonlySet<string> = new Set(["seller", "merchant", "buyboxSeller"]);

interface Change {
  readonly field: string;
  readonly before: FieldValue;
  readonly after: FieldValue;
}

/** Returns the kind of a change. A price that appears or disappears is `other`. */
export function kindOf({ field, before, after }: Change): ChangeKind {
  if (field === stateField) return "delisted";
  if (priceFields.has(field) && typeof before === "number" && typeof after === "number") {
    return after < before ? "price_drop" : "price_rise";
  }
  if (field === "inStock" && typeof after === "boolean") return after ? "back_in_stock" : "sold_out";
  return sellerFields.has(field) && after !== null ? "new_seller" : "other";
}
