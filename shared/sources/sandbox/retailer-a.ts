/**
 * Creates the state of a sandbox listing of `retailer_a` at a given time: its offers and its buy
 * box. All scrapers of `retailer_a` (pulse, lite, full, offers, offer check) use this state, so
 * their answers for the same time agree.
 */
import type { AvailabilityType } from "../../scrapers/product-fields.ts";
import { kindOf } from "./catalog.ts";
import { type Draw, drawsOf, type DrawSeed, periodOf } from "./draw.ts";
import { offersAt, type OfferStateA, stockPeriodMs } from "./retailer-a-offers.ts";
import { scriptedOffers } from "./retailer-a-script.ts";
import { behaviorOf, scriptedRegularPrice } from "./script.ts";

/** A listing of the sandbox at a given time. */
export interface MomentA extends DrawSeed {
  readonly at: Date;
}

/** The state of a listing at a given time. */
export interface ItemStateA {
  readonly id: string;
  readonly draw: Draw;
  /** True for a listing that only groups variations. It has no offers. */
  readonly isParent: boolean;
  /** The offer in the buy box, which is also in `offers`; null if the buy box is empty. */
  readonly buybox: OfferStateA | null;
  /** Offers in every condition: first the buy box offer, then the others by price, lowest first. */
  readonly offers: readonly OfferStateA[];
  readonly listPrice: number;
  readonly newCount: number;
  readonly newMinPrice: number | null;
  readonly usedCount: number;
  readonly usedMinPrice: number | null;
}

/** The availability of offers that can be ordered now, including back orders and pre-orders. */
const buyableTypes: ReadonlySet<AvailabilityType> = new Set([
  "in_stock",
  "in_stock_scarce",
  "leadtime",
  "preorder",
  "available_date",
  "unknown",
]);

/** Returns true if an offer can be ordered now. */
export const isBuyable = (offer: OfferStateA): boolean => buyableTypes.has(offer.availabilityType);

const parentShare = 0.03;
const soldOutShare = 0.05;
const suppressedShare = 0.04;
const usedBuyboxShare = 0.5;
/**
 * When the buy box is chosen, the price of an offer that the retailer ships is multiplied by this
 * factor.
 */
const shippedByRetailerBonus = 0.96;

/**
 * Returns the state of a listing at a given time. Pure. Does not simulate items that do not exist
 * or reads that fail.
 */
export function itemStateA(moment: MomentA): ItemStateA {
  const { id, at } = moment;
  const draw = drawsOf(moment);
  const listPrice = listPriceOf(id, draw);
  const behavior = behaviorOf("retailer_a", id);
  if (behavior !== undefined) {
    const offers = scriptedOffers(behavior, { at, draw });
    const hasBuybox = behavior !== "no_buy_box";
    const isParent = behavior === "parent";
    return stateOf({ id, draw, listPrice: scriptedRegularPrice }, { isParent, offers, hasBuybox });
  }
  const isParent = draw("parent") < parentShare;
  const isSoldOut = draw("sold out", periodOf(at, stockPeriodMs, draw("phase"))) < soldOutShare;
  if (isParent || isSoldOut) {
    return stateOf({ id, draw, listPrice }, { isParent, offers: [], hasBuybox: false });
  }
  const offers = offersAt({ at, draw, listPrice });
  const suppressed = draw("suppressed", periodOf(at, 2 * stockPeriodMs, draw("phase")));
  return stateOf(
    { id, draw, listPrice },
    { isParent, offers, hasBuybox: suppressed >= suppressedShare },
  );
}

/** The parts of a listing from which its buy box and its counts are derived. */
interface ListingOffers {
  readonly isParent: boolean;
  readonly offers: readonly OfferStateA[];
  readonly hasBuybox: boolean;
}

/** Derives the buy box, the counts and the lowest prices of a listing from its offers. */
function stateOf(
  item: Pick<ItemStateA, "id" | "draw" | "listPrice">,
  { isParent, offers, hasBuybox }: ListingOffers,
): ItemStateA {
  const buybox = hasBuybox ? winnerOf(offers, item.draw) : null;
  const others = offers
    .filter((offer) => offer !== buybox)
    .sort((a, b) => a.price - b.price || a.index - b.index);
  const newOnes = offers.filter(({ condition }) => condition === "new");
  const usedOnes = offers.filter(({ condition }) => condition.startsWith("used_"));
  return {
    ...item,
    isParent,
    buybox,
    offers: buybox === null ? others : [buybox, ...others],
    newCount: newOnes.length,
    newMinPrice: lowest(newOnes),
    usedCount: usedOnes.length,
    usedMinPrice: lowest(usedOnes),
  };
}

const lowest = (offers: readonly OfferStateA[]): number | null => {
  let min: number | null = null;
  for (const { price } of offers) if (min === null || price < min) min = price;
  return min;
};

const rank = ({ price, isFba }: OfferStateA): number =>
  isFba ? price * shippedByRetailerBonus : price;

/**
 * Returns the offer in the buy box: the cheapest new offer, with an advantage for offers that the
 * retailer ships. Of the listings without new offers, half have the cheapest used offer in the buy
 * box. The other half have an empty buy box (null).
 */
function winnerOf(offers: readonly OfferStateA[], draw: Draw): OfferStateA | null {
  let best: OfferStateA | null = null;
  const hasNew = offers.some(({ condition }) => condition === "new");
  if (!hasNew && draw("used buy box") >= usedBuyboxShare) return null;
  for (const offer of offers) {
    const isEligible = hasNew ? offer.condition === "new" : offer.condition.startsWith("used_");
    if (isEligible && (best === null || rank(offer) < rank(best))) best = offer;
  }
  return best;
}

/** Returns the list price of an item, in the marketplace currency. It never changes. */
function listPriceOf(id: string, draw: Draw): number {
  const { from, to } = kindOf("retailer_a", id, draw);
  return Math.round(from + draw("regular price") * (to - from)) + 0.99;
}

const base64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const listingIdLength = 48;

/** Returns the ID of an offer. The ID never changes and is unique across listings. */
export function offerListingIdOf({ draw }: Pick<ItemStateA, "draw">, offer: OfferStateA): string {
  let id = "";
  for (let n = 1; id.length < listingIdLength; n += 1) {
    let bits = Math.floor(draw("offer listing id", n, offer.index + 1) * 2 ** 30);
    for (let i = 0; i < 5; i += 1) {
      id += base64.charAt(bits & 63);
      bits >>>= 6;
    }
  }
  return id.slice(0, listingIdLength);
}
