import type { Platform } from "../../platforms/catalog.ts";
import {
  type CommonFields,
  statusOfFound,
  type FulfillmentState,
  type RetailerBObject,
  type RetailerCObject,
  type RetailerDObject,
  type RetailerDState,
} from "../../scrapers/product-fields.ts";
import type { Answer } from "../../scrapers/scraper.ts";
import { omitUndefined } from "../contract/defined.ts";
import { shortIdOf } from "./item-id.ts";
import { amountOfMinor } from "./minor-units.ts";
import { type CatalogVariant, type FoundVariant, type MinorPrice, titleOf } from "./product.ts";

/** A platform that a store's catalog can serve. */
export type StorefrontPlatform = Exclude<Platform, "retailer_a">;

/** The values from which the fields of a product are built, in addition to the variant. */
interface FieldReading {
  readonly platform: StorefrontPlatform;
  /** The currency of the marketplace. Prices in other currencies count as unknown. */
  readonly currency: string;
  /** Name of the store's owner, who is the seller of items without a named seller. */
  readonly retailerName: string | undefined;
}

interface StorefrontReading extends FieldReading {
  readonly id: string;
  readonly fetchedAt: string;
}

const imagesMax = 20;
const ratingScale = 5;

/**
 * Converts a variant of the store's catalog to the answer for the item ID `reading.id`, with status
 * `ok` or `partial` (see `statusOfFound`).
 */
export function storefrontAnswer(foundVariant: FoundVariant, reading: StorefrontReading): Answer {
  const { id, fetchedAt } = reading;
  const fields = fieldsOf(foundVariant, reading);
  return { id, status: statusOfFound(fields), fetchedAt, fields };
}

/** The facts about a variant that several fields share. */
interface Facts {
  readonly foundVariant: FoundVariant;
  readonly listPrice: Money | undefined;
  readonly price: Money | undefined;
  readonly state: StockState | undefined;
  /** True if a third party sells the item instead of the store's owner. */
  readonly isThirdParty: boolean | undefined;
  readonly brand: string | undefined;
  readonly category: string | undefined;
}

type Money = NonNullable<CommonFields["price"]>;

/**
 * Converts a variant of the store's catalog to the fields of a product. Leaves out fields that the
 * store does not state, and values that are invalid.
 */
export function fieldsOf(
  foundVariant: FoundVariant,
  reading: FieldReading,
): CommonFields & Readonly<Record<string, unknown>> {
  const { product, variant } = foundVariant;
  const { retailerName, platform } = reading;
  const facts = factsOf(foundVariant, reading);
  const { state, isThirdParty } = facts;
  const sellerName = variant.seller?.name ?? retailerName;
  return {
    ...omitUndefined<CommonFields>({
      title: titleOf(foundVariant),
      url: variant.url ?? product.url,
      price: facts.price,
      availability: state && stock[state],
      seller: sellerName === undefined ? undefined : { name: sellerName },
      fulfillment: isThirdParty === false ? { byPlatform: true } : undefined,
      images: imagesOf(foundVariant),
    }),
    [platform]: objects[platform](facts),
  };
}

/** Returns the facts about a variant that several fields share. */
function factsOf(foundVariant: FoundVariant, { currency, retailerName }: FieldReading): Facts {
  const { product, variant } = foundVariant;
  return {
    foundVariant,
    price: isPerItem(variant) ? moneyIn(variant.price, currency) : undefined,
    listPrice: isPerItem(variant) ? moneyIn(variant.list_price, currency) : undefined,
    state: stateOf(variant.availability),
    isThirdParty: isThirdPartyOf(variant.seller?.name, retailerName),
    brand: variant.metadata?.brand ?? product.metadata?.brand ?? product.metadata?.vendor,
    category: categoryOf(foundVariant),
  };
}

/**
 * Returns whether a third party sells the item; undefined if this is unknown. A store names no
 * seller for its owner's items.
 */
const isThirdPartyOf = (
  seller: string | undefined,
  retailerName: string | undefined,
): boolean | undefined =>
  seller === undefined ? false : retailerName === undefined ? undefined : seller !== retailerName;

const objects: Readonly<Record<StorefrontPlatform, (facts: Facts) => object>> = {
  retailer_b: retailerB,
  retailer_c: retailerC,
  retailer_d: retailerD,
};

/** Returns the fields that only retailer_b has. */
function retailerB(facts: Facts): RetailerBObject {
  const { foundVariant, listPrice, state, isThirdParty, brand, category } = facts;
  const { product, variant } = foundVariant;
  const rating = ratingOf(foundVariant);
  return omitUndefined<RetailerBObject>({
    brand,
    upc: upcOf(variant),
    modelNumber: barcodeOf(variant, /^MPN$/i),
    parentId: shortIdOf(product.id),
    listPrice,
    thirdPartySeller: isThirdParty,
    onlineAvailable: state && stock[state].inStock,
    preOrder: state && state === "preorder",
    category,
    rating: rating?.value,
    reviewsCount: rating?.count,
    color: variant.options.find(({ name }) => /^colou?r$/i.test(name ?? ""))?.label,
  });
}

/** Returns the fields that only retailer_c has. */
function retailerC({ listPrice, state }: Facts): RetailerCObject {
  return omitUndefined<RetailerCObject>({
    regularPrice: listPrice?.amount,
    shipping: state && shippingStates[state],
  });
}

/** Returns the fields that only retailer_d has. */
function retailerD({ price, listPrice, state, brand, category }: Facts): RetailerDObject {
  const savedCents =
    price && listPrice && Math.round(listPrice.amount * 100) - Math.round(price.amount * 100);
  return omitUndefined<RetailerDObject>({
    state: state && retailerDStates[state],
    regularPrice: listPrice?.amount,
    savings: savedCents !== undefined && savedCents >= 0 ? savedCents / 100 : undefined,
    brand,
    category,
    purchasable: state && stock[state].inStock,
  });
}

/** The states of the stock in the protocol. */
type StockState = keyof typeof stock;

const stock = {
  in_stock: { inStock: true, message: "In stock" },
  backorder: { inStock: true, message: "Back order" },
  preorder: { inStock: true, message: "Pre-order" },
  out_of_stock: { inStock: false, message: "Out of stock" },
  discontinued: { inStock: false, message: "Discontinued" },
} as const;

const shippingStates: Readonly<Record<StockState, FulfillmentState>> = {
  in_stock: "IN_STOCK",
  backorder: "IN_STOCK",
  preorder: "PRE_ORDER",
  out_of_stock: "OUT_OF_STOCK",
  discontinued: "UNAVAILABLE",
};

const retailerDStates: Readonly<Record<StockState, RetailerDState>> = {
  in_stock: "ADD_TO_CART",
  backorder: "ADD_TO_CART",
  preorder: "PRE_ORDER",
  out_of_stock: "SOLD_OUT",
  discontinued: "NOT_AVAILABLE",
};

const isStockState = (word: string): word is StockState => Object.hasOwn(stock, word);

/**
 * Returns the state of the stock. If the protocol does not define the status word, the state
 * depends only on the flag `available`. Returns undefined if the store reports nothing or
 * contradicts itself.
 */
function stateOf(availability: CatalogVariant["availability"]): StockState | undefined {
  const { available, status } = availability ?? {};
  const word = status?.toLowerCase().replaceAll(/[\s-]/g, "_");
  if (word === undefined || !isStockState(word)) {
    if (available === undefined) return undefined;
    return available ? "in_stock" : "out_of_stock";
  }
  if (available === undefined || available === stock[word].inStock) return word;
  // The status and `available` contradict each other. With a back order or a pre-order, `false`
  // means that orders are closed now. Any other contradiction cannot be resolved.
  return !available && word !== "in_stock" ? "out_of_stock" : undefined;
}

/** The code of "each" in UN/CEFACT Recommendation 20. */
const each = "C62";

/** Returns true if the price is for one item, not for a unit of weight, length or time. */
const isPerItem = ({ quantity_unit: unit }: CatalogVariant): boolean =>
  unit?.unit === undefined || unit.unit === each;

/**
 * Converts a price in minor units to the `Money` of an answer. Returns undefined for a price of 0,
 * which means "unknown", and for a price in another currency.
 */
const moneyIn = (price: MinorPrice | undefined, currency: string): Money | undefined =>
  price?.currency === currency && price.amount > 0
    ? { amount: amountOfMinor(price.amount, currency), currency }
    : undefined;

/** Returns the addresses of at most 20 pictures; undefined if there are none. */
function imagesOf({ product, variant }: FoundVariant): string[] | undefined {
  const urls = [...variant.media, ...product.media].flatMap(({ url }) => url ?? []);
  return urls.length === 0 ? undefined : [...new Set(urls)].slice(0, imagesMax);
}

/** The taxonomies whose values are readable words, best first. */
const readableTaxonomies = ["merchant", "google_product_category", undefined];

/**
 * Returns the category in words; undefined if the store states it only as a number, or not at all.
 */
function categoryOf({ product, variant }: FoundVariant): string | undefined {
  const named = [...variant.categories, ...product.categories].filter(
    ({ value }) => value !== undefined && /\p{L}{2}/u.test(value),
  );
  const best = readableTaxonomies
    .map((wanted) => named.find(({ taxonomy }) => taxonomy === wanted))
    .find((one) => one !== undefined);
  return best?.value;
}

/**
 * Returns the rating, converted to a scale up to 5; undefined if the rating exceeds the scale that
 * the store states.
 */
function ratingOf({ product, variant }: FoundVariant) {
  const rating = variant.rating ?? product.rating;
  const { value, scale_max: most, count } = rating ?? {};
  if (value === undefined || most === undefined || most <= 0 || value > most) return undefined;
  return { value: Math.round(((value * ratingScale) / most) * 100) / 100, count };
}

const barcodeOf = ({ barcodes }: CatalogVariant, type: RegExp): string | undefined =>
  barcodes.find((barcode) => type.test(barcode.type ?? ""))?.value;

/** A GTIN that begins with zeros is a UPC of 12 digits in a longer form. */
const longUpc = /^0{1,2}(\d{12})$/;

/**
 * Returns the UPC of a variant. If the store states no UPC, uses a GTIN or EAN that contains one.
 * Returns undefined if there is none.
 */
function upcOf(variant: CatalogVariant): string | undefined {
  const upc = barcodeOf(variant, /^UPC(?:-?A)?$/i);
  const longer = barcodeOf(variant, /^(?:GTIN|EAN)(?:-?\d+)?$/i) ?? "";
  return upc ?? longUpc.exec(longer)?.[1] ?? (/^\d{12}$/.test(longer) ? longer : undefined);
}
