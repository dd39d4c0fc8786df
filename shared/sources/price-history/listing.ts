/** Derives a listing's counts, prices and buy box from the statistics of the price history API. */
import type { OfferCondition } from "../../scrapers/offer.ts";
import type { AvailabilityType } from "../../scrapers/product-fields.ts";
import { conditionOf } from "./condition.ts";
import { currentIndexes, type HistoryProduct, type HistoryStats, productTypes } from "./product.ts";
import { priceOf } from "./value.ts";

/** The offer in the buy box. */
export interface BuyBoxWinner {
  /** The price in the marketplace currency, without shipping. */
  readonly price: number;
  readonly condition: OfferCondition;
  readonly sellerId: string | undefined;
  /** True if the retailer itself is the seller. */
  readonly isOwn: boolean;
  /** True if the retailer ships the offer; undefined if the reply does not report it. */
  readonly isFba: boolean | undefined;
  readonly availabilityType: AvailabilityType;
  /** True if the offer is in stock; undefined if the reply does not report it. */
  readonly inStock: boolean | undefined;
  /** True if the offer can be ordered now or ahead; undefined if the reply does not report it. */
  readonly isBuyable: boolean | undefined;
  readonly message: string;
}

/**
 * Counts, prices and the buy box of a listing. Null means "none exists", undefined means "unknown".
 */
export interface Listing {
  readonly newCount: number | undefined;
  readonly newMinPrice: number | null | undefined;
  readonly usedCount: number | undefined;
  readonly usedMinPrice: number | null | undefined;
  readonly listPrice: number | null | undefined;
  readonly winner: BuyBoxWinner | null | undefined;
  readonly rating: number | undefined;
  readonly reviewsCount: number | undefined;
}

const unknownListing: Listing = {
  newCount: undefined,
  newMinPrice: undefined,
  usedCount: undefined,
  usedMinPrice: undefined,
  listPrice: undefined,
  winner: undefined,
  rating: undefined,
  reviewsCount: undefined,
};

/**
 * The listing of a parent product. A parent product only groups variations, so it has no offers.
 */
const parentListing: Listing = {
  ...unknownListing,
  newCount: 0,
  newMinPrice: null,
  usedCount: 0,
  usedMinPrice: null,
  winner: null,
};

const ratingScale = 10;

/**
 * Returns the offer counts, prices and buy box of a product, in units of `currency`. A parent
 * product has no offers. All these values are unknown if the reply has no statistics of the
 * product, or if the product is neither a standard nor a parent product.
 */
export function listingOf(product: HistoryProduct, currency: string): Listing {
  if (product.productType === productTypes.parent) return parentListing;
  // The source has prices only of standard products. For any other product, its code "none" means
  // that the price is unknown.
  if (product.productType !== productTypes.standard || product.stats == null) {
    return unknownListing;
  }
  const { stats } = product;
  const at = (name: keyof typeof currentIndexes): number | null | undefined =>
    stats.current[currentIndexes[name]];
  const priceAt = (name: keyof typeof currentIndexes): number | null | undefined =>
    priceOf(at(name), currency);
  const rating = at("rating") ?? 0;
  const newMinPrice = priceAt("newPrice");
  // The source reports "none" for a price that the retailer hides (minimum advertised price, MAP).
  const isHidden = product.newPriceIsMAP === true && newMinPrice === null;
  const prices = {
    newMinPrice: isHidden ? undefined : newMinPrice,
    usedMinPrice: priceAt("usedPrice"),
  };
  const counts = {
    newCount: countOf(at("newCount"), prices.newMinPrice),
    usedCount: countOf(at("usedCount"), prices.usedMinPrice),
  };
  return {
    ...prices,
    ...counts,
    listPrice: priceAt("listPrice"),
    winner: winnerOf(stats, { ...counts, currency }),
    rating: rating > 0 ? rating / ratingScale : undefined,
    reviewsCount: countOf(at("reviews"), undefined),
  };
}

/**
 * Returns a count of offers; undefined if it is unknown. The code -1 ("none") means 0 only if the
 * price is null too.
 */
function countOf(
  count: number | null | undefined,
  price: number | null | undefined,
): number | undefined {
  if (count === -1 && price === null) return 0;
  return count === null || count === undefined || count < 0 ? undefined : count;
}

interface Counts extends Pick<Listing, "newCount" | "usedCount"> {
  readonly currency: string;
}

/** Returns the offer in the buy box; null for an empty buy box; undefined if it is unknown. */
function winnerOf(stats: HistoryStats, counts: Counts): BuyBoxWinner | null | undefined {
  const price = priceOf(stats.buyBoxPrice, counts.currency);
  if (typeof price === "number" && stats.buyBoxIsUnqualified !== true) {
    return newWinner(stats, price);
  }
  // If the retailer hides the price (MAP), the source reports "none" although there may be a
  // winner, so the winner is unknown.
  if (stats.buyBoxIsMAP === true || !isWithoutNewWinner(stats, counts)) return undefined;
  if (counts.newCount !== 0) return null;
  if (stats.buyBoxUsedPrice === 0) return undefined;
  const used = priceOf(stats.buyBoxUsedPrice, counts.currency);
  return typeof used === "number" ? usedWinner(stats, used) : null;
}

/** Returns true if any field of the source reports that no new offer is in the buy box. */
const isWithoutNewWinner = (stats: HistoryStats, { newCount, usedCount }: Counts): boolean =>
  stats.buyBoxIsUnqualified === true ||
  stats.buyBoxPrice === -1 ||
  stats.buyBoxSellerId === "-1" ||
  stats.current[currentIndexes.buyboxWithShipping] === -1 ||
  (newCount === 0 && usedCount === 0);

/** Builds the winner for a new offer, from the statistics of its listing. */
function newWinner(stats: HistoryStats, price: number): BuyBoxWinner {
  const isOwn = stats.buyBoxIsAmazon === true;
  const availabilityType = availabilityTypeOf(stats);
  const inStock = inStockOf(stats, availabilityType);
  return {
    price,
    condition: "new",
    sellerId: sellerIdOf(stats.buyBoxSellerId),
    isOwn,
    isFba: isOwn ? true : stats.buyBoxIsFBA,
    availabilityType,
    inStock,
    isBuyable: inStock === false ? isOrderedAhead(stats, availabilityType) : inStock,
    message: stats.buyBoxAvailabilityMessage ?? (inStock === true ? "In stock" : "Not in stock"),
  };
}

/** Returns true for an offer that is not in stock but can be ordered ahead. */
const isOrderedAhead = (stats: HistoryStats, type: AvailabilityType): boolean =>
  stats.buyBoxIsBackorder === true || type === "preorder" || type === "available_date";

/**
 * Builds the winner for a used offer. The source reports no stock for used offers, so every listed
 * used offer counts as in stock.
 */
const usedWinner = (stats: HistoryStats, price: number): BuyBoxWinner => ({
  price,
  condition: conditionOf(stats.buyBoxUsedCondition),
  sellerId: sellerIdOf(stats.buyBoxUsedSellerId),
  isOwn: false,
  isFba: stats.buyBoxUsedIsFBA,
  availabilityType: "unknown",
  inStock: true,
  isBuyable: undefined,
  message: "Available used",
});

/** Returns the seller ID; undefined for the placeholders of unknown sellers ("-1" and "-2"). */
const sellerIdOf = (id: string | undefined): string | undefined =>
  id === undefined || id.startsWith("-") ? undefined : id;

/**
 * The availability type for each pattern of the retailer's availability message. The first match is
 * used.
 */
const messageTypes: readonly (readonly [RegExp, AvailabilityType])[] = [
  [/pre-?order|will be released/i, "preorder"],
  [/currently unavailable/i, "unavailable"],
  [/out of stock/i, "out_of_stock"],
  [/only \d+ left/i, "in_stock_scarce"],
  [/in stock (on|from) /i, "available_date"],
  [/usually (ships|dispatched)|ships within|available to ship in/i, "leadtime"],
  [/in stock/i, "in_stock"],
];

/** Returns the availability of the new offer in the buy box. */
function availabilityTypeOf(stats: HistoryStats): AvailabilityType {
  if (stats.buyBoxIsPreorder === true) return "preorder";
  const type = typeOfMessage(stats.buyBoxAvailabilityMessage);
  if (stats.buyBoxIsBackorder === true) return type === "available_date" ? type : "leadtime";
  const { buyBoxIsShippable: isShippable } = stats;
  // An offer that cannot be shipped is out of stock, unless the retailer's message states another
  // reason. A message that states that the offer is in stock is outdated.
  const claims = type === undefined || type === "in_stock" || type === "in_stock_scarce";
  if (isShippable === false && claims) return "out_of_stock";
  const isSilent = stats.buyBoxAvailabilityMessage === undefined;
  return type ?? (isShippable === true && isSilent ? "in_stock" : "unknown");
}

const typeOfMessage = (message: string | undefined): AvailabilityType | undefined =>
  messageTypes.find(([words]) => words.test(message ?? ""))?.[1];

const inStockTypes: ReadonlySet<AvailabilityType> = new Set([
  "in_stock",
  "in_stock_scarce",
  "leadtime",
]);

/** Returns whether the new offer in the buy box is in stock; undefined if it is unknown. */
function inStockOf(stats: HistoryStats, type: AvailabilityType): boolean | undefined {
  if (type === "unknown") return stats.buyBoxIsShippable;
  return inStockTypes.has(type) && stats.buyBoxIsShippable !== false;
}
