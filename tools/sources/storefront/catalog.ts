/** The invented catalog of the reference store, with the titles and prices of the sandbox. */
import { currencyOf } from "../../../shared/platforms/catalog.ts";
import { reservedIds } from "../../../shared/scrapers/reserved-ids.ts";
import { brandOf, kindOf, titleOf } from "../../../shared/sources/sandbox/catalog.ts";
import { drawsOf } from "../../../shared/sources/sandbox/draw.ts";
import { retailerBFields } from "../../../shared/sources/sandbox/retailer-b.ts";
import { behaviorOf, scriptedStatus } from "../../../shared/sources/sandbox/script.ts";

const platform = "retailer_b";
const marketplace = "us";
const currency = currencyOf(platform, marketplace);
const centsOf = (amount: number): number => Math.round(amount * 100);

/** The beginning of the store's global IDs. */
const space = "gid://reference-store";
const variantPattern = new RegExp(`^${space}/ProductVariant/(\\d{5,15})$`);
/** The form of the store's IDs, with `{id}` for the item number. */
export const idTemplate = `${space}/ProductVariant/{id}`;

const colors = ["Black", "White", "Blue"] as const;
const firstProduct = 7_700_000_000_001;
const firstVariant = 44_000_000_000_010;
/** The item numbers of the first variants of two successive products differ by this number. */
const numbersPerProduct = 10;
/** The number of products that the store lists. Each has one variant for each color. */
export const listedProductCount = 1_000;

/** A price, in the form of the protocol. */
interface MinorMoney {
  readonly amount: number;
  readonly currency: string;
}

/** A variant of a product, as a reply of the catalog protocol contains it. */
export interface StoreVariant extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly price: MinorMoney;
}

/** A product with its variants, as a reply of the catalog protocol contains it. */
export interface StoreProduct extends Readonly<Record<string, unknown>> {
  readonly id: string;
  readonly title: string;
  readonly variants: readonly StoreVariant[];
}

const numberAt = ({ product, variant }: Place): string =>
  String(firstVariant + product * numbersPerProduct + variant);

/**
 * Returns the item numbers of the store's listed products, in order: the numbers of all variants of
 * a product, then the numbers of the next product.
 * @param count How many item numbers to return.
 * @default all
 */
export const listedNumbers = (count = listedProductCount * colors.length): string[] =>
  Array.from({ length: count }, (_, n) =>
    numberAt({ product: Math.floor(n / colors.length), variant: n % colors.length }),
  );

/**
 * Returns the global ID that the store gives to a variant.
 * @param number The item number of the variant.
 */
export const storeId = (number: string): string => idTemplate.replace("{id}", number);

/** Returns the item number of a variant's global ID; undefined for any other string. */
export const numberOf = (id: string): string | undefined => variantPattern.exec(id)?.[1];

/** Returns true for the global ID of the item that the store returns slowly. */
export function isSlow(id: string): boolean {
  const number = numberOf(id);
  return number !== undefined && behaviorOf(platform, number) === "slow";
}

/** The position of a listed item. */
interface Place {
  readonly product: number;
  readonly variant: number;
}

function placeOf(number: string): Place | undefined {
  const offset = Number(number) - firstVariant;
  const product = Math.floor(offset / numbersPerProduct);
  const variant = offset % numbersPerProduct;
  const isListed = product >= 0 && product < listedProductCount && variant < colors.length;
  return isListed ? { product, variant } : undefined;
}

/** Overrides prices, in minor units, by item number. */
export type Prices = ReadonlyMap<string, number>;

interface Moment {
  readonly at: Date;
  readonly prices: Prices;
}

/** An item of the store: its product, and the variant in it. */
export interface StoreItem {
  readonly productId: string;
  readonly variant: StoreVariant;
}

/** The store's data about an ID. For a `silent` item, the store sends nothing. */
export type Lookup =
  | { readonly kind: "found"; readonly item: StoreItem }
  | { readonly kind: "not_found" }
  | { readonly kind: "silent" };

/**
 * Returns the store's data about an item number at a given time. An ID that the sandbox reserves
 * for tests behaves in this store as in the sandbox.
 */
export function lookUp(number: string, moment: Moment): Lookup {
  const place = placeOf(number);
  const behavior = behaviorOf(platform, number);
  if (place === undefined && behavior === undefined) return { kind: "not_found" };
  if (behavior !== undefined) {
    const status = scriptedStatus(behavior, { id: number, at: moment.at });
    if (status === "not_found") return { kind: "not_found" };
    if (status === "unavailable") return { kind: "silent" };
  }
  const productId = productIdOf(number, place);
  return { kind: "found", item: { productId, variant: variantOf(number, place, moment) } };
}

function productIdOf(number: string, place: Place | undefined): string {
  return `${space}/Product/${place === undefined ? number : firstProduct + place.product}`;
}

/** Listed items have the price of this time, until `setPrice` changes it. */
const listedTime = new Date("2026-01-01T00:00:00Z");
/** If the position of a product is a multiple of this number, its third variant is sold out. */
const soldOutEvery = 10;

const isSoldOut = ({ product, variant }: Place): boolean =>
  product % soldOutEvery === soldOutEvery - 1 && variant === colors.length - 1;

// oxlint-disable-next-line complexity -- each operator adds a member that is not always there
function variantOf(
  number: string,
  place: Place | undefined,
  { at: now, prices }: Moment,
): StoreVariant {
  const at = place === undefined ? now : listedTime;
  // All variants of a product have the same price.
  const draw = drawsOf({ seed: "storefront", marketplace, id: productIdOf(number, place) });
  const behavior = behaviorOf(platform, number);
  const fields = retailerBFields({ platform, id: number, at, currency, draw }, behavior);
  const { brand, listPrice, rating, reviewsCount } = fields.retailer_b;
  const color = place === undefined ? undefined : colors[place.variant];
  const inStock = place === undefined ? fields.availability?.inStock === true : !isSoldOut(place);
  const isHidden = behavior === "always_partial";
  return {
    id: storeId(number),
    sku: `REF-${number}`,
    title: color ?? "Default Title",
    description: { plain: `${brand ?? ""} ${color ?? ""}`.trim() },
    url: `https://reference-store.example/products/${number}`,
    price: {
      amount: prices.get(number) ?? centsOf(fields.price?.amount ?? 0),
      currency,
    },
    ...(listPrice && { list_price: { amount: centsOf(listPrice.amount), currency } }),
    // For a hidden item, the store does not report whether it is in stock. A read of the item then
    // lacks a field that the service promises, and is `partial`.
    ...(!isHidden && {
      availability: { available: inStock, status: inStock ? "in_stock" : "out_of_stock" },
    }),
    ...(color !== undefined && { options: [{ name: "Color", label: color }] }),
    barcodes: [{ type: "UPC", value: number.slice(-12).padStart(12, "0") }],
    ...(fields.images && { media: fields.images.map((url) => ({ type: "image", url })) }),
    ...(rating !== undefined && {
      rating: { value: rating, scale_max: 5, ...(reviewsCount && { count: reviewsCount }) },
    }),
    seller: { name: "Reference Store" },
  };
}

/** Returns a product with these variants, as a reply of the catalog protocol contains it. */
export function productWith(productId: string, variants: readonly StoreVariant[]): StoreProduct {
  const draw = drawsOf({ seed: "storefront", marketplace, id: productId });
  const amounts = variants.map(({ price }) => price.amount);
  const title = titleOf(platform, productId, draw);
  return {
    id: productId,
    title,
    description: { plain: title },
    categories: [{ value: kindOf(platform, productId, draw).category, taxonomy: "merchant" }],
    metadata: { brand: brandOf(draw) },
    price_range: {
      min: { amount: Math.min(...amounts), currency },
      max: { amount: Math.max(...amounts), currency },
    },
    variants,
  };
}

/** A product of the store, by its ID and the item numbers of its variants. */
export interface ListedProduct {
  readonly productId: string;
  readonly numbers: readonly string[];
}

/** The item whose price changes at every read, then the other products. */
const listed: readonly ListedProduct[] = [
  ...reservedIds[platform]
    .filter(({ behavior }) => behavior === "price_changes_every_read")
    .map(({ id }) => ({ productId: productIdOf(id, undefined), numbers: [id] })),
  ...Array.from({ length: listedProductCount }, (_, product) => ({
    productId: `${space}/Product/${firstProduct + product}`,
    numbers: colors.map((_color, variant) => numberAt({ product, variant })),
  })),
];

/** Returns the listed products whose title or category contains every word of a query. */
export function search(query: string): readonly ListedProduct[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  return listed.filter(({ productId }) => {
    const draw = drawsOf({ seed: "storefront", marketplace, id: productId });
    const { category } = kindOf(platform, productId, draw);
    const text = `${titleOf(platform, productId, draw)} ${category}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}
