import * as v from "valibot";
import { foreignFlag, foreignText } from "../contract/foreign-value.ts";
import { momentOf, signedInteger } from "./value.ts";
import { reportsError } from "../contract/reply-error.ts";
import { readingAgeMaxMs } from "../contract/reading-age.ts";

const list = <Item>(
  item: v.GenericSchema<unknown, Item>,
): v.GenericSchema<unknown, readonly Item[]> => v.fallback(v.pipe(v.array(item)), []);

/** A string that may be HTML. `details.ts` removes the tags. */
const html = v.fallback(v.optional(v.string()), undefined);

const stats = v.object({
  current: list(v.fallback(v.nullable(signedInteger), undefined)),
  totalOfferCount: signedInteger,
  buyBoxPrice: signedInteger,
  buyBoxSellerId: foreignText,
  buyBoxIsFBA: foreignFlag,
  buyBoxIsAmazon: foreignFlag,
  buyBoxIsMAP: foreignFlag,
  buyBoxIsUnqualified: foreignFlag,
  buyBoxIsShippable: foreignFlag,
  buyBoxIsPreorder: foreignFlag,
  buyBoxIsBackorder: foreignFlag,
  buyBoxAvailabilityMessage: foreignText,
  buyBoxUsedPrice: signedInteger,
  buyBoxUsedSellerId: foreignText,
  buyBoxUsedIsFBA: foreignFlag,
  buyBoxUsedCondition: signedInteger,
});

const offer = v.object({
  offerId: signedInteger,
  sellerId: foreignText,
  condition: signedInteger,
  conditionComment: html,
  isAmazon: foreignFlag,
  isFBA: foreignFlag,
  isShippable: foreignFlag,
  isPreorder: foreignFlag,
  offerCSV: list(signedInteger),
});

export type HistoryStats = v.InferOutput<typeof stats>;
export type HistoryOffer = v.InferOutput<typeof offer>;

/** A product of the source's reply. Only its ID is required; a missing type means `standard`. */
export const historyProduct = v.object({
  asin: v.pipe(v.string(), v.trim(), v.toUpperCase(), v.regex(/^[A-Z0-9]{10}$/)),
  domainId: signedInteger,
  productType: v.pipe(
    v.optional(v.union([v.number(), v.pipe(v.string(), v.transform(Number))]), 0),
    v.integer(),
  ),
  lastUpdate: signedInteger,
  title: html,
  brand: html,
  categoryTree: list(v.fallback(v.nullish(v.object({ name: html })), null)),
  images: list(v.fallback(v.nullish(v.object({ l: foreignText, m: foreignText })), null)),
  features: list(html),
  description: html,
  newPriceIsMAP: foreignFlag,
  stats: v.fallback(v.nullish(stats), null),
  offers: list(v.fallback(v.nullish(offer), null)),
  liveOffersOrder: list(signedInteger),
  offersSuccessful: foreignFlag,
  manufacturer: html,
  model: html,
  partNumber: html,
  color: html,
  size: html,
  style: html,
  pattern: html,
  materials: list(html),
  edition: html,
  binding: html,
  numberOfItems: signedInteger,
  numberOfPages: signedInteger,
  itemWeight: signedInteger,
  itemLength: signedInteger,
  itemWidth: signedInteger,
  itemHeight: signedInteger,
  upcList: list(html),
  eanList: list(html),
});

export type HistoryProduct = v.InferOutput<typeof historyProduct>;

/** The values of `productType`. */
export const productTypes = {
  standard: 0,
  /** The item does not exist. */
  invalid: 4,
  /** A product that groups variations and has no offers. */
  parent: 5,
} as const;

/** The indexes of values in `stats.current`. */
export const currentIndexes = {
  newPrice: 1,
  usedPrice: 2,
  listPrice: 4,
  newCount: 11,
  usedCount: 12,
  rating: 16,
  reviews: 17,
  buyboxWithShipping: 18,
} as const;

const reply = v.object({ products: v.array(v.unknown()) });

interface ReplySetting {
  /** The API's number for the requested marketplace. */
  readonly domain: number;
  /** The time at which the reply arrived. */
  readonly now: Date;
}

/**
 * Parses the products of a reply, by item ID. Returns null if the body has no list of products. If
 * two products have the same ID, uses the first one. Omits:
 * - unreadable products;
 * - products of another marketplace;
 * - products that the source read more than `readingAgeMaxMs` before `now`;
 * - products of type `invalid`, if the reply reports an error.
 */
export function productsOf(
  body: unknown,
  { domain, now }: ReplySetting,
): ReadonlyMap<string, HistoryProduct> | null {
  const parsed = v.safeParse(reply, body);
  if (!parsed.success) return null;
  const hasError = reportsError(body);
  const products = new Map<string, HistoryProduct>();
  for (const entry of parsed.output.products) {
    const product = v.safeParse(historyProduct, entry);
    if (!product.success) continue;
    const { asin, domainId = domain, lastUpdate, productType } = product.output;
    if (hasError && productType === productTypes.invalid) continue;
    if (domainId !== domain || products.has(asin) || isStale(lastUpdate, now)) continue;
    products.set(asin, product.output);
  }
  return products;
}

const isStale = (lastUpdate: number | undefined, now: Date): boolean =>
  now.getTime() - momentOf(lastUpdate, now).getTime() > readingAgeMaxMs;
