/** What the history API's numbers say of a listing: its counts, its prices and its buy box. */
import type { OfferCondition } from "../../scrapers/offer.ts";
import type { AvailabilityType } from "../../scrapers/product-fields.ts";
import { conditionOf } from "./condition.ts";
import { currentPlaces, type HistoryProduct, type HistoryStats, productTypes } from "./product.ts";
import { priceOf } from "./value.ts";

/** The offer that is featured. */
export interface Winner {
  /** In the marketplace currency, without shipping. */
  readonly price: number;
  readonly condition: OfferCondition;
  readonly sellerId: string | undefined;
  /** The retailer sells it itself. */
  readonly isOwn: boolean;
  /** Shipped by the retailer. */
  readonly isFba: boolean | undefined;
  readonly availabilityType: AvailabilityType;
  /** Undefined where nothing says it. */
  readonly inStock: boolean | undefined;
  /** It can be ordered, now or ahead; undefined where nothing says it. */
  readonly isBuyable: boolean | undefined;
  readonly message: string;
}

/** A value of null is known to be nothing, one that is undefined is not known. */
export interface Listing {
  readonly newCount: number | undefined;
  readonly newMinPrice: number | null | undefined;
  readonly usedCount: number | undefined;
  readonly usedMinPrice: number | null | undefined;
  readonly listPrice: number | null | undefined;
  readonly winner: Winner | null | undefined;
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

/** A parent is no item of its own: nobody can offer it. */
const parentListing: Listing = {
  ...unknownListing,
  newCount: 0,
  newMinPrice: null,
  usedCount: 0,
  usedMinPrice: null,
  winner: null,
};

const ratingScale = 10;

export function listingOf(product: HistoryProduct, currency: string): Listing {
  if (product.productType === productTypes.parent) return parentListing;
  // Of the other types the source follows no prices, so that their "none" means nothing.
  if (product.productType !== productTypes.standard || product.stats == null) {
    return unknownListing;
  }
  const { stats } = product;
  const at = (place: keyof typeof currentPlaces): number | null | undefined =>
    stats.current[currentPlaces[place]];
  const priceAt = (place: keyof typeof currentPlaces): number | null | undefined =>
    priceOf(at(place), currency);
  const rating = at("rating") ?? 0;
  const newMinPrice = priceAt("newPrice");
  // A price that the retailer hides reads like none.
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

/** A count of "none" is 0 where there is no price either. */
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

function winnerOf(stats: HistoryStats, counts: Counts): Winner | null | undefined {
  const price = priceOf(stats.buyBoxPrice, counts.currency);
  if (typeof price === "number" && stats.buyBoxIsUnqualified !== true) {
    return newWinner(stats, price);
  }
  // A price that the retailer hides reads like none.
  if (stats.buyBoxIsMAP === true || !isWithoutNewWinner(stats, counts)) return undefined;
  if (counts.newCount !== 0) return null;
  if (stats.buyBoxUsedPrice === 0) return undefined;
  const used = priceOf(stats.buyBoxUsedPrice, counts.currency);
  return typeof used === "number" ? usedWinner(stats, used) : null;
}

/** True where the source says so, in one of its ways. */
const isWithoutNewWinner = (stats: HistoryStats, { newCount, usedCount }: Counts): boolean =>
  stats.buyBoxIsUnqualified === true ||
  stats.buyBoxPrice === -1 ||
  stats.buyBoxSellerId === "-1" ||
  stats.current[currentPlaces.buyboxWithShipping] === -1 ||
  (newCount === 0 && usedCount === 0);

function newWinner(stats: HistoryStats, price: number): Winner {
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

/** What is not there can be bought where it will be. */
const isOrderedAhead = (stats: HistoryStats, type: AvailabilityType): boolean =>
  stats.buyBoxIsBackorder === true || type === "preorder" || type === "available_date";

/** Nothing is said of its stock but that it is there to be bought. */
const usedWinner = (stats: HistoryStats, price: number): Winner => ({
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

/** Undefined for a seller that the source does not know. */
const sellerIdOf = (id: string | undefined): string | undefined =>
  id === undefined || id.startsWith("-") ? undefined : id;

/** The first that fits the source's stock line, which is the retailer's own. */
const messageTypes: readonly (readonly [RegExp, AvailabilityType])[] = [
  [/pre-?order|will be released/i, "preorder"],
  [/currently unavailable/i, "unavailable"],
  [/out of stock/i, "out_of_stock"],
  [/only \d+ left/i, "in_stock_scarce"],
  [/in stock (on|from) /i, "available_date"],
  [/usually (ships|dispatched)|ships within|available to ship in/i, "leadtime"],
  [/in stock/i, "in_stock"],
];

function availabilityTypeOf(stats: HistoryStats): AvailabilityType {
  if (stats.buyBoxIsPreorder === true) return "preorder";
  const told = toldType(stats.buyBoxAvailabilityMessage);
  if (stats.buyBoxIsBackorder === true) return told === "available_date" ? told : "leadtime";
  const { buyBoxIsShippable: isShippable } = stats;
  // A line that is out of date, or none at all.
  const claims = told === undefined || told === "in_stock" || told === "in_stock_scarce";
  if (isShippable === false && claims) return "out_of_stock";
  const isSilent = stats.buyBoxAvailabilityMessage === undefined;
  return told ?? (isShippable === true && isSilent ? "in_stock" : "unknown");
}

const toldType = (message: string | undefined): AvailabilityType | undefined =>
  messageTypes.find(([words]) => words.test(message ?? ""))?.[1];

const inStockTypes: ReadonlySet<AvailabilityType> = new Set([
  "in_stock",
  "in_stock_scarce",
  "leadtime",
]);

function inStockOf(stats: HistoryStats, type: AvailabilityType): boolean | undefined {
  if (type === "unknown") return stats.buyBoxIsShippable;
  return inStockTypes.has(type) && stats.buyBoxIsShippable !== false;
}
