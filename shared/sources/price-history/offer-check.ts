import { currencyOf } from "../../platforms/catalog.ts";
import type {
  OfferCheckAnswer,
  OfferChecker,
  OfferReference,
  OffersCheckRequest,
} from "../../scrapers/scraper.ts";
import { listingOf } from "./listing.ts";
import { hasReadOffers, listingsPerCallMax, lookUpOffers } from "./offer-lookup.ts";
import { seenOffers } from "./offer.ts";
import { historyOfferId, listingOfOfferId } from "./offer-id.ts";
import { type HistoryProduct, productTypes } from "./product.ts";
import {
  type PriceHistoryDependencies,
  type PriceHistoryOptions,
  historySource,
} from "./source.ts";
import { momentOf } from "./value.ts";
import { readInBatches } from "../http/in-batches.ts";

const callsAtOnceDefault = 8;

/**
 * Creates the offer checker of `retailer_a` for a price history API (specification, section "POST
 * /v1/offers/check").
 *
 * The checker reads the live offers of each listing, which costs as many tokens as a read of
 * offers.
 *
 * An offer is not buyable in these cases:
 * - The adapter `a_history` did not create the offer's ID, or the ID belongs to another listing.
 * - The listing of the offer does not exist, or is a parent product.
 * - The source returned all offers of the listing, and this offer is not among them.
 * - The source reports that the offer cannot be shipped now or ordered ahead.
 *
 * An offer is `unavailable` if its listing could not be read, or if the source returned only some
 * of the listing's offers and this offer is not among them.
 */
export function priceHistoryOfferChecker(
  options: PriceHistoryOptions,
  dependencies: PriceHistoryDependencies,
): OfferChecker {
  const source = historySource(options, dependencies);
  return {
    async checkOffers({ marketplace, offers, deadline }: OffersCheckRequest) {
      const { clock } = dependencies;
      const startedAt = clock.now();
      if (deadline <= startedAt) return offers.map((offer) => unavailable(offer, startedAt));
      const listings = [...new Set(offers.filter(isPossible).map(({ asin }) => asin))];
      const products = await readInBatches(listings, {
        batchMax: listingsPerCallMax,
        atOnce: options.callsAtOnceMax ?? callsAtOnceDefault,
        async read(ids) {
          const setting = { options, dependencies, source };
          const lookup = await lookUpOffers(ids, { marketplace, deadline }, setting);
          return lookup.kind === "read"
            ? { kind: "read", results: ids.map((id) => lookup.products.get(id)) }
            : lookup;
        },
        unread: () => undefined,
      });
      const listed = {
        products: new Map(listings.map((id, n) => [id, products[n]])),
        currency: currencyOf("retailer_a", marketplace),
        now: clock.now(),
      };
      return offers.map((offer) => answerFor(offer, listed));
    },
  };
}

/** Returns true if `historyOfferId` created the offer's ID for this listing. */
const isPossible = ({ asin, offerListingId }: OfferReference): boolean =>
  listingOfOfferId(offerListingId) === asin;

interface ReadListings {
  /** Products by listing ID; undefined for a listing that could not be read. */
  readonly products: ReadonlyMap<string, HistoryProduct | undefined>;
  readonly currency: string;
  readonly now: Date;
}

/** Returns the answer for one offer, from the read of its listing. */
function answerFor(
  offer: OfferReference,
  { products, currency, now }: ReadListings,
): OfferCheckAnswer {
  if (!isPossible(offer)) return answerOf(offer, false, now);
  const product = products.get(offer.asin);
  if (product === undefined) return unavailable(offer, now);
  const at = momentOf(product.lastUpdate, now);
  if (product.productType === productTypes.invalid) return answerOf(offer, false, at);
  const buyable = hasReadOffers(product) ? isBuyable(offer, product, currency) : undefined;
  return buyable === undefined ? unavailable(offer, at) : answerOf(offer, buyable, at);
}

/**
 * Returns whether an offer is buyable; undefined if the reply does not show it. For the offer in
 * the buy box, checks the statistics first, because the source reports more about this offer than
 * about others.
 */
function isBuyable(
  { asin, offerListingId }: OfferReference,
  product: HistoryProduct,
  currency: string,
): boolean | undefined {
  if (product.productType === productTypes.parent) return false;
  const { winner } = listingOf(product, currency);
  const { buyable, isWhole } = seenOffers(product);
  if (winner?.sellerId !== undefined && winner.isFba !== undefined) {
    const { sellerId, condition, isFba } = winner;
    const id = historyOfferId({ listing: asin, sellerId, condition, isFba });
    if (id === offerListingId) return winner.isBuyable ?? buyable.get(id) ?? true;
  }
  return buyable.get(offerListingId) ?? (isWhole ? false : undefined);
}

const answerOf = (
  { asin, offerListingId }: OfferReference,
  buyable: boolean,
  at: Date,
): OfferCheckAnswer => ({
  asin,
  offerListingId,
  status: "ok",
  fetchedAt: at.toISOString(),
  buyable,
});

const unavailable = ({ asin, offerListingId }: OfferReference, at: Date): OfferCheckAnswer => ({
  asin,
  offerListingId,
  status: "unavailable",
  fetchedAt: at.toISOString(),
});
