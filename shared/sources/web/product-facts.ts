import { amountOf } from "./amount.ts";
import type { AvailabilityWord } from "./availability-word.ts";
import { chooseOffer } from "./choose-offer.ts";
import type { Choice } from "./choose-product.ts";
import { currencyIn } from "./currency-word.ts";
import { omitUndefined } from "../contract/defined.ts";
import type { OfferedPrice } from "./offer-price.ts";
import { plainText } from "./plain-text.ts";
import { isNode, nodesOf, type SchemaNode, termOf, textOf, valuesOf } from "./schema-node.ts";
import type { WantedProduct } from "./wanted-product.ts";

/**
 * The facts that a page states about a product. Facts that the page does not state clearly are
 * absent.
 */
export interface ProductFacts {
  readonly title?: string;
  /** The absolute address of the product's page. */
  readonly url?: string;
  readonly price?: OfferedPrice;
  /**
   * True if the page has a price that cannot be determined. Prices from other markup are then
   * ignored.
   */
  readonly isPriceUnclear?: boolean;
  readonly listPrice?: OfferedPrice;
  readonly availability?: AvailabilityWord;
  readonly condition?: string;
  readonly seller?: string;
  /** The absolute addresses of the product's pictures. */
  readonly images?: readonly string[];
  readonly brand?: string;
  readonly upc?: string;
  readonly modelNumber?: string;
  readonly sku?: string;
  readonly parentId?: string;
  readonly category?: string;
  readonly color?: string;
  readonly rating?: number;
  readonly reviewsCount?: number;
  readonly shipping?: OfferedPrice;
  /** Delivery methods as schema.org terms. */
  readonly deliveryMethods?: readonly string[];
}

const textLengthMax = 1_000;
const imagesMax = 20;
const conditions: ReadonlyMap<string, string> = new Map([
  ["newcondition", "New"],
  ["new", "New"],
  ["usedcondition", "Used"],
  ["used", "Used"],
  ["refurbishedcondition", "Refurbished"],
  ["refurbished", "Refurbished"],
  ["damagedcondition", "Damaged"],
]);

/**
 * Returns the facts that the markup of the chosen product states. If the product is a variant of a
 * group, a fact that the variant does not state comes from the group.
 * @param wanted the requested product
 */
export function productFacts(
  { product, group }: Extract<Choice, { kind: "chosen" }>,
  wanted: WantedProduct,
): ProductFacts {
  const own = factsOf(product, wanted);
  return group === undefined ? own : mergeFacts(own, sharedFacts(group, wanted));
}

/**
 * Merges the facts of one product from two parts of its page. A fact of `second` counts only if
 * `first` does not state it. The prices of `second` count only if `first` states no price, not even
 * an unclear one.
 */
export function mergeFacts(first: ProductFacts, second: ProductFacts): ProductFacts {
  // A list price is used only together with the price from the same markup.
  const { price, listPrice, ...others } = second;
  const prices = needsPrice(first) ? omitUndefined<ProductFacts>({ price, listPrice }) : {};
  return { ...others, ...prices, ...first };
}

/** Returns true if the facts contain no price, not even an unclear one. */
export const needsPrice = ({ price, isPriceUnclear }: ProductFacts): boolean =>
  price === undefined && isPriceUnclear !== true;

/**
 * Returns the facts that all variants of a group share. They never include a price or other facts
 * of an offer.
 */
function sharedFacts(group: SchemaNode, wanted: WantedProduct): ProductFacts {
  const { title, images, brand, category, rating, reviewsCount } = descriptiveFacts(group, wanted);
  const parentId = text(group, "productgroupid", "sku");
  return omitUndefined<ProductFacts>({
    title,
    images,
    brand,
    category,
    rating,
    reviewsCount,
    parentId,
  });
}

/** Returns the facts that the markup of one product states, with those of its best offer. */
function factsOf(product: SchemaNode, wanted: WantedProduct): ProductFacts {
  const { price, listPrice, availability, node, isPriceUnclear } = chooseOffer(product, wanted);
  const condition = textOf(node ?? product, "itemcondition") ?? textOf(product, "itemcondition");
  return omitUndefined<ProductFacts>({
    ...descriptiveFacts(product, wanted),
    price,
    listPrice,
    isPriceUnclear: isPriceUnclear === true ? true : undefined,
    availability,
    condition: conditions.get(termOf(condition ?? "")),
    seller: node && text(node, "seller", "offeredby"),
    shipping: node && shippingOf(node),
    deliveryMethods: node && valuesOf(node, "availabledeliverymethod").map(termIn),
  });
}

/** Returns the facts that do not depend on an offer. */
function descriptiveFacts(product: SchemaNode, wanted: WantedProduct): ProductFacts {
  const rating = nodesOf(product, "aggregaterating")[0];
  return omitUndefined<ProductFacts>({
    title: text(product, "name"),
    url: addressIn(textOf(product, "url"), wanted.url),
    images: imagesOf(product, wanted.url),
    brand: text(product, "brand", "manufacturer"),
    upc: digits(text(product, "gtin12", "gtin13", "gtin", "gtin14", "gtin8")),
    modelNumber: text(product, "mpn", "model"),
    sku: text(product, "sku", "productid"),
    parentId: text(product, "inproductgroupwithid"),
    category: lastStep(text(product, "category")),
    color: text(product, "color"),
    rating: rating && ratingOf(rating),
    reviewsCount: rating && countOf(rating),
  });
}

/** Returns the first text of these properties without HTML; undefined if it is empty. */
function text(node: SchemaNode, ...terms: readonly string[]): string | undefined {
  const foundText = textOf(node, ...terms);
  const bare = foundText === undefined ? "" : plainText(foundText).slice(0, textLengthMax);
  return bare === "" ? undefined : bare;
}

const termIn = (value: SchemaNode | string | number | boolean): string =>
  termOf(isNode(value) ? (value.id ?? "") : String(value));

const digits = (code: string | undefined): string | undefined => {
  const bare = code?.replaceAll(/[\s-]/g, "") ?? "";
  return /^\d{8,14}$/.test(bare) ? bare : undefined;
};

/** Returns the last step of a category path such as "Audio > Headphones". */
const lastStep = (category: string | undefined): string | undefined =>
  category?.split(/\s*[>»]\s*/).at(-1);

/** Returns the absolute addresses of at most 20 pictures; undefined if there are none. */
function imagesOf(product: SchemaNode, base: URL): string[] | undefined {
  const addresses = valuesOf(product, "image")
    .map((value) => (isNode(value) ? textOf(value, "contenturl", "url") : String(value)))
    .map((address) => addressIn(address, base))
    .filter((address) => address !== undefined);
  return addresses.length === 0 ? undefined : [...new Set(addresses)].slice(0, imagesMax);
}

/**
 * Returns an address as an absolute HTTP or HTTPS address, resolved against `base`; undefined for
 * any other address.
 */
function addressIn(address: string | undefined, base: URL): string | undefined {
  const bare = plainText(address ?? "");
  if (bare === "" || bare.length > 2_000 || !URL.canParse(bare, base.href)) return undefined;
  const url = new URL(bare, base);
  return /^https?:$/.test(url.protocol) ? url.href : undefined;
}

/**
 * Returns a rating on a scale of five, as on the platforms; undefined for a rating on another
 * scale.
 */
function ratingOf(rating: SchemaNode): number | undefined {
  const value = Number((textOf(rating, "ratingvalue") ?? "").replace(",", "."));
  const best = Number(textOf(rating, "bestrating") ?? "5");
  return value > 0 && value <= best && best === 5 ? value : undefined;
}

/** Returns the number of reviews or ratings; undefined if it is absent or not a number. */
function countOf(rating: SchemaNode): number | undefined {
  const count = textOf(rating, "reviewcount", "ratingcount")?.replaceAll(/[\s,.]/g, "") ?? "";
  return /^\d{1,9}$/.test(count) ? Number(count) : undefined;
}

/** Returns the shipping price of an offer, which may be 0; undefined if none is stated. */
function shippingOf(offer: SchemaNode): OfferedPrice | undefined {
  const rate = nodesOf(offer, "shippingdetails").flatMap((one) => nodesOf(one, "shippingrate"))[0];
  const currency = rate && currencyIn(textOf(rate, "currency") ?? "");
  const value = rate && textOf(rate, "value");
  if (value === undefined) return undefined;
  const amount = /^0+(\.0+)?$/.test(value) ? 0 : amountOf(value, currency ?? null);
  return amount === undefined ? undefined : { amount, currency };
}
