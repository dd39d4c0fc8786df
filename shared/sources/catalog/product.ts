import * as v from "valibot";
import {
  statusOfFound,
  type RetailerDFields,
  type RetailerDObject,
  type RetailerDState,
} from "../../scrapers/product-fields.ts";
import type { Answer } from "../../scrapers/scraper.ts";
import {
  foreignAmount,
  foreignFlag,
  foreignPrice,
  foreignText,
  foreignUrl,
} from "../contract/foreign-value.ts";

/** A stock number, sent as a number or as text. */
const sku = v.pipe(
  v.union([v.pipe(v.number(), v.safeInteger(), v.minValue(0)), v.string()]),
  v.transform((value) => String(value).trim()),
  v.regex(/^\d{1,10}$/),
);

const categoryStep = v.fallback(v.nullish(v.object({ name: foreignText })), null);

/** A product of the source's reply. Only its stock number is required. */
export const catalogProduct = v.object({
  sku,
  active: foreignFlag,
  name: foreignText,
  url: foreignUrl,
  salePrice: foreignPrice,
  regularPrice: foreignPrice,
  dollarSavings: foreignAmount,
  priceRestriction: foreignText,
  manufacturer: foreignText,
  condition: foreignText,
  categoryPath: v.fallback(v.optional(v.array(categoryStep), []), []),
  onlineAvailability: foreignFlag,
  onlineAvailabilityText: foreignText,
  inStoreAvailability: foreignFlag,
  orderable: foreignText,
  marketplace: v.optional(v.unknown()),
  image: foreignUrl,
  largeFrontImage: foreignUrl,
});

export type CatalogProduct = v.InferOutput<typeof catalogProduct>;

/** The fields to request: exactly those that the parser reads. */
export const catalogFieldNames: readonly string[] = Object.keys(catalogProduct.entries);

/**
 * The product state for each value of `orderable`, with the value in lower case and without spaces.
 */
const states: ReadonlyMap<string, RetailerDState> = new Map([
  ["available", "ADD_TO_CART"],
  ["backorder", "ADD_TO_CART"],
  ["preorder", "PRE_ORDER"],
  ["comingsoon", "COMING_SOON"],
  ["soldout", "SOLD_OUT"],
  ["soldoutonline", "SOLD_OUT"],
  ["notorderable", "NOT_AVAILABLE"],
]);
const buyable: ReadonlySet<RetailerDState> = new Set(["ADD_TO_CART", "PRE_ORDER"]);

/**
 * Converts a product of the source's reply to the answer for the item ID `read.id`. The status is
 * `not_found` if the product is not active, `partial` if the retailer hides the price, otherwise
 * `ok` or `partial` (see `statusOfFound`).
 */
export function catalogAnswer(
  product: CatalogProduct,
  read: { readonly id: string; readonly fetchedAt: string; readonly currency: string },
): Answer {
  const { id, fetchedAt, currency } = read;
  if (product.active === false) return { id, status: "not_found", fetchedAt };
  const hidden = product.priceRestriction !== undefined;
  const fields = fieldsOf(product, { hidden, currency });
  return { id, status: hidden ? "partial" : statusOfFound(fields), fetchedAt, fields };
}

/**
 * Returns the fields of a product. If the retailer hides the price until checkout, omits the price
 * and also the savings, from which the price could be calculated.
 */
function fieldsOf(
  product: CatalogProduct,
  { hidden, currency }: { readonly hidden: boolean; readonly currency: string },
): RetailerDFields {
  const { name, url, salePrice, onlineAvailability: inStock } = product;
  const image = product.image ?? product.largeFrontImage;
  return {
    ...(name !== undefined && { title: name }),
    ...(url !== undefined && { url }),
    ...(salePrice !== undefined && !hidden && { price: { amount: salePrice, currency } }),
    ...(inStock !== undefined && {
      availability: { inStock, message: product.onlineAvailabilityText ?? stockMessage(inStock) },
    }),
    fulfillment: { byPlatform: !isMarketplace(product.marketplace) },
    ...(image !== undefined && { images: [image] }),
    retailer_d: objectOf(product, hidden),
  };
}

/**
 * Returns the fields of a product that only retailer_d has.
 * @param hidden true if the retailer hides the price
 */
function objectOf(product: CatalogProduct, hidden: boolean): RetailerDObject {
  const { regularPrice, dollarSavings, manufacturer, condition } = product;
  const category = product.categoryPath.at(-1)?.name;
  const state = stateOf(product);
  const purchasable = isPurchasable(product, state);
  return {
    ...(state !== undefined && { state }),
    ...(regularPrice !== undefined && { regularPrice }),
    ...(dollarSavings !== undefined && !hidden && { savings: dollarSavings }),
    ...(manufacturer !== undefined && { brand: manufacturer }),
    ...(condition !== undefined && { condition }),
    ...(category !== undefined && { category }),
    ...(purchasable !== undefined && { purchasable }),
  };
}

/** Returns the product state; undefined if `orderable` is missing or has an unknown value. */
function stateOf({ orderable, inStoreAvailability }: CatalogProduct): RetailerDState | undefined {
  const state = states.get((orderable ?? "").toLowerCase().replaceAll(/[^a-z]/g, ""));
  return state === "NOT_AVAILABLE" && inStoreAvailability === true ? "CHECK_STORES" : state;
}

/** Returns whether a product can be bought online; undefined if the reply does not show it. */
function isPurchasable(
  { onlineAvailability }: CatalogProduct,
  state: RetailerDState | undefined,
): boolean | undefined {
  if (onlineAvailability === true || state === undefined) return onlineAvailability;
  return buyable.has(state);
}

const stockMessage = (inStock: boolean): string => (inStock ? "In stock" : "Out of stock");

const isMarketplace = (value: unknown): boolean =>
  value !== undefined && value !== null && value !== false && value !== "";
