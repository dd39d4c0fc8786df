import { limits } from "../../base/limits.ts";
import type { Offer } from "../../scrapers/offer.ts";
import { conditionOf } from "./condition.ts";
import { plainText } from "./details.ts";
import { listingOf, type BuyBoxWinner } from "./listing.ts";
import { historyOfferId, type OfferIdentity } from "./offer-id.ts";
import type { HistoryOffer, HistoryProduct } from "./product.ts";
import type { SellerNames } from "./sellers.ts";
import { amountOf, priceOf } from "./value.ts";

/** An offer of a listing before its seller's name is looked up. */
export interface ListedOffer {
  readonly offerListingId: string;
  readonly price: number;
  readonly shipping: number | undefined;
  readonly condition: string;
  readonly conditionNote: string | undefined;
  readonly sellerId: string;
  /** True if the retailer itself is the seller. */
  readonly isOwn: boolean;
  readonly isFba: boolean;
  readonly isBuybox: boolean;
}

/** The offers of a listing. */
export interface ListedOffers {
  /**
   * At most `offersPerListingMax` offers: first the buy box offer, then the others by price, lowest
   * first.
   */
  readonly offers: readonly ListedOffer[];
  readonly totalOffers: number;
}

/**
 * Returns the live offers of a product. `totalOffers` also counts the offers that are left out: an
 * offer whose price or seller is unknown, and an offer that cannot be distinguished from another.
 */
export function listedOffers(product: HistoryProduct, currency: string): ListedOffers {
  const live = liveOffers(product);
  const identified = identify(product.asin, live, currency);
  const featured = featuredOf(identified, listingOf(product, currency).winner ?? undefined);
  const offers = identified
    .map((offer) => (offer === featured ? asBuybox(offer) : offer))
    .toSorted(featuredThenCheapest)
    .slice(0, limits.offersPerListingMax);
  return { offers, totalOffers: Math.max(live.length, product.stats?.totalOfferCount ?? 0) };
}

const asBuybox = (offer: ListedOffer): ListedOffer => ({ ...offer, isBuybox: true });

const featuredThenCheapest = (a: ListedOffer, b: ListedOffer): number =>
  Number(b.isBuybox) - Number(a.isBuybox) ||
  a.price - b.price ||
  (a.shipping ?? 0) - (b.shipping ?? 0);

/**
 * Returns the live offers. `offers` may also contain former offers, and `liveOffersOrder` contains
 * the indexes of the live offers. If `liveOffersOrder` is empty, all offers count as live.
 */
function liveOffers({ offers, liveOffersOrder }: HistoryProduct): readonly HistoryOffer[] {
  const liveIndexes = new Set(liveOffersOrder);
  const isLive = (index: number): boolean => liveIndexes.size === 0 || liveIndexes.has(index);
  return offers.filter((_, index) => isLive(index)).filter((offer) => offer != null);
}

/**
 * Assigns an ID to each offer. If several offers have the same identity, the IDs of all but the
 * first include the source's number of the offer.
 */
function identify(listing: string, live: readonly HistoryOffer[], currency: string): ListedOffer[] {
  const seen = new Set<string>();
  const oldestFirst = live.toSorted((a, b) => (a.offerId ?? 0) - (b.offerId ?? 0));
  return oldestFirst.flatMap((offer) => {
    const listed = listedOffer(listing, offer, currency);
    if (listed === undefined) return [];
    if (!seen.has(listed.offerListingId)) {
      seen.add(listed.offerListingId);
      return [listed];
    }
    const { offerId: number } = offer;
    if (number === undefined) return [];
    return [{ ...listed, offerListingId: historyOfferId({ listing, ...listed, number }) }];
  });
}

/** Converts an offer of the reply; undefined if its price or its seller is unknown. */
function listedOffer(
  listing: string,
  offer: HistoryOffer,
  currency: string,
): ListedOffer | undefined {
  const { offerCSV } = offer;
  // `offerCSV` has triples of time, price and shipping in chronological order, so the last triple
  // is current.
  const price = offerCSV.length < 3 ? undefined : priceOf(offerCSV.at(-2), currency);
  const identity = identityOf(listing, offer);
  if (typeof price !== "number" || identity === undefined) return undefined;
  const { sellerId, condition, isFba } = identity;
  return {
    offerListingId: historyOfferId(identity),
    price,
    shipping: amountOf(offerCSV.at(-1), currency) ?? undefined,
    condition,
    conditionNote: plainText(offer.conditionComment),
    sellerId,
    isOwn: offer.isAmazon === true,
    isFba,
    isBuybox: false,
  };
}

/** Returns the identity of an offer; undefined if the source does not report its seller. */
function identityOf(
  listing: string,
  { sellerId, condition, isAmazon, isFBA }: HistoryOffer,
): OfferIdentity | undefined {
  if (sellerId === undefined) return undefined;
  const isFba = isAmazon === true || isFBA === true;
  return { listing, sellerId, condition: conditionOf(condition), isFba };
}

/** The offers that the source reports as live for a listing. */
export interface SeenOffers {
  /**
   * For each offer ID, whether the offer is buyable. It contains every ID that a read may have
   * returned for a live offer, even if the price of the offer is unknown now. If several offers
   * have the same ID, the value is true if any of them is buyable.
   */
  readonly buyable: ReadonlyMap<string, boolean>;
  /** True if `buyable` covers all live offers of the listing. */
  readonly isWhole: boolean;
}

/**
 * Returns whether each offer that the source reports as live for a listing is buyable, by offer ID,
 * and whether these are all live offers of the listing.
 */
export function seenOffers(product: HistoryProduct): SeenOffers {
  const { asin, offers, liveOffersOrder, stats } = product;
  const live = liveOffers(product);
  const buyable = new Map<string, boolean>();
  let identified = 0;
  for (const offer of live) {
    const identity = identityOf(asin, offer);
    if (identity === undefined) continue;
    identified += 1;
    const { offerId: number } = offer;
    // The ID of the first of several offers with the same identity has no number. Another offer may
    // have been the first before, so earlier reads may have returned the ID of this offer with or
    // without its number.
    const ids = [identity, ...(number === undefined ? [] : [{ ...identity, number }])];
    for (const id of ids.map(historyOfferId)) {
      buyable.set(id, buyable.get(id) === true || isBuyable(offer));
    }
  }
  const listed = new Set(liveOffersOrder).size || offers.length;
  const total = stats?.totalOfferCount;
  // A total below -1 means that the source does not know the total.
  const isCounted = total !== undefined && total >= -1;
  return { buyable, isWhole: isCounted && identified >= Math.max(total, listed) };
}

/** Returns true if the offer can be bought: it is shippable, or it is a preorder. */
const isBuyable = ({ isShippable, isPreorder }: HistoryOffer): boolean =>
  isShippable !== false || isPreorder === true;

/**
 * Returns the offer with the seller, condition and shipper of the buy box. If several offers match,
 * prefers the one with the price of the buy box. Returns undefined if none matches.
 */
function featuredOf(
  offers: readonly ListedOffer[],
  winner: BuyBoxWinner | undefined,
): ListedOffer | undefined {
  if (winner === undefined) return undefined;
  const { sellerId, condition, isFba = false, price } = winner;
  const same = offers.filter(
    (offer) =>
      offer.sellerId === sellerId && offer.condition === condition && offer.isFba === isFba,
  );
  return same.find((offer) => offer.price === price) ?? same[0];
}

/** The values from which an offer is built, in addition to the listed offer. */
export interface OfferShop {
  readonly currency: string;
  readonly retailerName: string;
  readonly names: SellerNames;
}

/**
 * Converts a live offer to the form that scrapers return. If the name of the seller is unknown,
 * uses the seller ID as the name.
 */
export function historyOffer(offer: ListedOffer, shop: OfferShop): Offer {
  const { sellerId, isOwn, isFba, shipping, conditionNote } = offer;
  const { currency, retailerName, names } = shop;
  const name = isOwn ? retailerName : (names.get(sellerId) ?? sellerId);
  return {
    offerListingId: offer.offerListingId,
    price: offer.price,
    currency,
    priceDisplay: formatOf(currency).format(offer.price),
    ...(shipping !== undefined && { shipping }),
    condition: offer.condition,
    ...(conditionNote !== undefined && { conditionNote }),
    seller: { id: sellerId, name },
    fulfillment: { isFba, fulfillerName: isFba ? retailerName : name },
    isBuybox: offer.isBuybox,
  };
}

const formats = new Map<string, Intl.NumberFormat>();

/** Returns the price format of a currency. Formats are cached, because creating one is slow. */
function formatOf(currency: string): Intl.NumberFormat {
  const format =
    formats.get(currency) ?? new Intl.NumberFormat("en-US", { style: "currency", currency });
  formats.set(currency, format);
  return format;
}
