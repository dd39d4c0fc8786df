import { currencyOf } from "../../platforms/catalogue.ts";
import type {
  OfferCheckAnswer,
  OfferChecker,
  OfferReference,
  OffersCheckRequest,
} from "../../scrapers/scraper.ts";
import { listingOf } from "./listing.ts";
import { isLookedAt, listingsPerCallMax, lookAtOffers } from "./look.ts";
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
 * Says whether offers of retailer_a can be bought by having the price history API look at their
 * listings' live offers, at the price of reading those. Knows the ids that `a_history` gives, and
 * no others: an id that is none of them, or another listing's, is no offer (section "POST
 * /v1/offers/check"). An offer is gone when all that the listing has were seen and it was not among
 * them; one that is there but not shipped can be bought only as a preorder or a backorder.
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
          const look = await lookAtOffers(ids, { marketplace, deadline }, setting);
          return look.kind === "read"
            ? { kind: "read", results: ids.map((id) => look.products.get(id)) }
            : look;
        },
        unread: () => undefined,
      });
      const shelf = {
        products: new Map(listings.map((id, n) => [id, products[n]])),
        currency: currencyOf("retailer_a", marketplace),
        now: clock.now(),
      };
      return offers.map((offer) => answerFor(offer, shelf));
    },
  };
}

/** An id of ours holds the listing that it belongs to. */
const isPossible = ({ asin, offerListingId }: OfferReference): boolean =>
  listingOfOfferId(offerListingId) === asin;

interface Shelf {
  /** By the listings that were looked at; undefined for one that was not answered. */
  readonly products: ReadonlyMap<string, HistoryProduct | undefined>;
  readonly currency: string;
  readonly now: Date;
}

function answerFor(offer: OfferReference, { products, currency, now }: Shelf): OfferCheckAnswer {
  if (!isPossible(offer)) return answered(offer, false, now);
  const product = products.get(offer.asin);
  if (product === undefined) return unavailable(offer, now);
  const at = momentOf(product.lastUpdate, now);
  if (product.productType === productTypes.invalid) return answered(offer, false, at);
  const buyable = isLookedAt(product) ? isBuyable(offer, product, currency) : undefined;
  return buyable === undefined ? unavailable(offer, at) : answered(offer, buyable, at);
}

/** Of the featured offer the source says more than of others; undefined where it says nothing. */
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

const answered = (
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
