/**
 * Creates the offers of a sandbox listing of `retailer_a`. `retailer-a.ts` then chooses the buy
 * box.
 */
import type { OfferCondition } from "../../scrapers/offer.ts";
import type { AvailabilityType } from "../../scrapers/product-fields.ts";
import { cents, type Draw, hourMs, pick, periodOf, pickWeighted } from "./draw.ts";

/** A seller on retailer_a. */
export interface SellerA {
  readonly id: string;
  readonly name: string;
}

/** One offer of a listing. */
export interface OfferStateA {
  /**
   * The index of the offer in its listing. The seller and the condition at an index never change.
   */
  readonly index: number;
  readonly seller: SellerA;
  readonly condition: OfferCondition;
  /** The price in the marketplace currency, without shipping. */
  readonly price: number;
  /** The shipping price in the marketplace currency. Null if the page does not show it. */
  readonly shipping: number | null;
  /** True if the retailer ships the offer. */
  readonly isFba: boolean;
  readonly availabilityType: AvailabilityType;
}

/**
 * Length of a period, in milliseconds. An offer may appear or disappear when a new period begins.
 * The periods of each offer begin at different times.
 */
export const stockPeriodMs = 12 * hourMs;
const pricePeriodMs = 6 * hourMs;
const presentShare = 0.92;
const saleShare = 0.2;
const saleDepthMax = 0.35;

/** Ranges of the number of offers of a listing, each with its share of the listings. */
const offerCounts: readonly (readonly [number, readonly [from: number, to: number]])[] = [
  [0.35, [1, 1]],
  [0.4, [2, 6]],
  [0.2, [7, 15]],
  [0.05, [16, 60]],
];

const conditions: readonly (readonly [number, OfferCondition])[] = [
  [0.57, "new"],
  [0.11, "used_like_new"],
  [0.11, "used_very_good"],
  [0.09, "used_good"],
  [0.04, "used_acceptable"],
  [0.05, "refurbished"],
  [0.02, "collectible_very_good"],
  [0.01, "other"],
];

const availabilityTypes: readonly (readonly [number, AvailabilityType])[] = [
  [0.82, "in_stock"],
  [0.08, "in_stock_scarce"],
  [0.03, "leadtime"],
  [0.02, "preorder"],
  [0.015, "available_date"],
  [0.02, "out_of_stock"],
  [0.005, "unavailable"],
  [0.01, "unknown"],
];

/** The retailer itself as a seller. */
export const retailerASeller: SellerA = { id: "A0RETAILERAUS", name: "Retailer A" };

const sellerNames = ["Alder", "Birch", "Cedar", "Dune", "Ember", "Fjord", "Grove", "Heath"];
const sellerKinds = ["Trading", "Outlet", "Direct", "Goods", "Supply", "Books", "Mart", "Depot"];
const sellers: readonly SellerA[] = sellerNames.flatMap((name, n) =>
  sellerKinds.map((kind, k) => ({
    id: `A${String((n * 8 + k + 1) * 7_919).padStart(6, "0")}SANDBX`,
    name: `${name} ${kind}`,
  })),
);
/**
 * Distance, in the list of sellers, between the sellers of two successive offers. It has no common
 * divisor with the number of sellers (64), so up to 64 offers of a listing have different sellers.
 */
const sellerStride = 7;

/**
 * Returns the seller of the offer with the index `index` in its listing. The offers with indexes
 * below 64 all have different sellers.
 * @param draw the pseudorandom function of the listing
 */
export function sellerAt(draw: Draw, index: number): SellerA {
  const first = Math.floor(draw("sellers") * sellers.length);
  return sellers[(first + index * sellerStride) % sellers.length] ?? retailerASeller;
}

interface OffersMoment {
  readonly at: Date;
  readonly draw: Draw;
  readonly listPrice: number;
}

/** Returns the offers that a listing has at the time `at`; an empty list if it has none. */
export function offersAt(moment: OffersMoment): OfferStateA[] {
  const { at, draw } = moment;
  const [from, to] = pickWeighted(offerCounts, draw("offers"));
  const count = from + Math.floor(draw("offers more") * (to - from + 1));
  const offers: OfferStateA[] = [];
  for (let index = 0; index < count; index += 1) {
    const stock = periodOf(at, stockPeriodMs, draw("offer phase", 0, index + 1));
    // The first offer always exists. Another draw decides whether the whole listing is sold out.
    if (index > 0 && draw("offer is there", stock, index + 1) >= presentShare) continue;
    offers.push(offerAt(index, stock, moment));
  }
  return offers;
}

/**
 * Returns the offer with this index in its listing.
 * @param stock number of the stock period, as `periodOf` returns it
 */
function offerAt(index: number, stock: number, { at, draw, listPrice }: OffersMoment): OfferStateA {
  const of = (what: string, period = 0): number => draw(what, period, index + 1);
  const condition =
    index === 0 && of("first") < 0.95 ? "new" : pickWeighted(conditions, of("what"));
  const isRetailer = index === 0 && condition === "new" && of("retailer") < 0.55;
  const isFba = isRetailer || of("shipped by") < 0.4;
  const share = condition === "new" ? 0.85 + 0.3 * of("price") : 0.4 + 0.4 * of("price");
  const period = periodOf(at, pricePeriodMs, of("price phase"));
  const sale = of("sale", period) < saleShare ? of("sale depth", period) * saleDepthMax : 0;
  return {
    index,
    seller: isRetailer ? retailerASeller : sellerAt(draw, index),
    condition,
    price: cents(listPrice * share * (1 - sale)),
    shipping: isFba ? 0 : pick([0, 0, 3.99, 5.99, null], of("shipping")),
    isFba,
    availabilityType: pickWeighted(availabilityTypes, of("availability", stock)),
  };
}
