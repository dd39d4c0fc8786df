import type { ScraperId } from "./catalogue.ts";

export type Money = { readonly amount: number; readonly currency: string };

/**
 * What every product result may hold (specification, section "Product result"). Absent: the
 * retailer does not show it. Null: known to be nothing.
 */
export type CommonFields = {
  readonly title?: string;
  /** Product page on the marketplace. */
  readonly url?: string;
  readonly price?: Money | null;
  readonly availability?: { readonly inStock: boolean; readonly message: string };
  readonly seller?: { readonly name: string };
  readonly fulfillment?: { readonly byPlatform: boolean; readonly name?: string };
  readonly images?: readonly string[];
};

/** Values of `state` on retailer_d; an open set, as the retailer may invent more. */
export type RetailerDState =
  | "ADD_TO_CART"
  | "PRE_ORDER"
  | "SOLD_OUT"
  | "COMING_SOON"
  | "CHECK_STORES"
  | "NOT_AVAILABLE";

/** The object `retailer_d` of a result; prices are in the marketplace currency. */
export type RetailerDObject = {
  readonly state?: RetailerDState;
  readonly regularPrice?: number | null;
  readonly savings?: number | null;
  readonly brand?: string;
  readonly condition?: string;
  readonly category?: string;
  readonly purchasable?: boolean;
};

/** `fields` of an answer of `retailer_d.standard`. */
export type RetailerDFields = CommonFields & { readonly retailer_d: RetailerDObject };

/** The keys of a result's fields, in the order they are answered; nothing else ever gets out. */
export const productFieldNames = {
  "retailer_d.standard": [
    "title",
    "url",
    "price",
    "availability",
    "seller",
    "fulfillment",
    "images",
    "retailer_d",
  ],
} as const satisfies Record<ScraperId, readonly (keyof RetailerDFields)[]>;

/**
 * The status rule for an item that was found: `ok` needs a title, whether it is in stock, and a
 * price unless it is known to be out of stock; with less it is `partial`.
 */
export function foundStatus({ title, availability, price }: CommonFields): "ok" | "partial" {
  if (title === undefined || availability === undefined) return "partial";
  return price !== undefined || !availability.inStock ? "ok" : "partial";
}
