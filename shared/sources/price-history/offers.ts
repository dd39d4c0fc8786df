import type { Clock } from "../../base/clock.ts";
import { currencyOf, platforms } from "../../platforms/catalog.ts";
import type { OffersAnswer, OfferScraper, OffersReadRequest } from "../../scrapers/scraper.ts";
import {
  hasReadOffers,
  listingsPerCallMax,
  type LookupDependencies,
  lookUpOffers,
} from "./offer-lookup.ts";
import { historyOffer, type ListedOffers, listedOffers } from "./offer.ts";
import { type HistoryProduct, productTypes } from "./product.ts";
import { historySellers, type SellerNames, type Sellers } from "./sellers.ts";
import {
  type PriceHistoryDependencies,
  type PriceHistoryOptions,
  historySource,
} from "./source.ts";
import { momentOf } from "./value.ts";
import { type BatchOutcome, readInBatches } from "../http/in-batches.ts";

const callsAtOnceDefault = 8;

/**
 * Creates the scraper of offers of `retailer_a` for a price history API. `historyOfferId` builds
 * the offer IDs. A listing is `unavailable` if its offers, or the name of a seller, could not be
 * read.
 */
export function priceHistoryOffers(
  options: PriceHistoryOptions,
  dependencies: PriceHistoryDependencies,
): OfferScraper {
  const source = historySource(options, dependencies);
  const sellers = historySellers(source);
  return {
    readOffers: (request) =>
      readInBatches(request.ids, {
        batchMax: listingsPerCallMax,
        atOnce: options.callsAtOnceMax ?? callsAtOnceDefault,
        read: (ids) => readBatch(ids, { request, options, dependencies, source, sellers }),
        unread: (id) => ({
          id,
          status: "unavailable",
          fetchedAt: dependencies.clock.now().toISOString(),
        }),
      }),
  };
}

interface BatchReading extends LookupDependencies {
  readonly request: OffersReadRequest;
  readonly sellers: Sellers;
}

/** Reads the offers of listings in one call, and then the names of their sellers. */
async function readBatch(
  ids: readonly string[],
  reading: BatchReading,
): Promise<BatchOutcome<OffersAnswer>> {
  const { request, options, dependencies, sellers } = reading;
  const { marketplace, deadline } = request;
  const lookup = await lookUpOffers(ids, request, reading);
  if (lookup.kind !== "read") return lookup;
  const { products, domain } = lookup;
  const currency = currencyOf("retailer_a", marketplace);
  const shown = [...products.values()].filter(hasReadOffers);
  const listed = new Map(shown.map((product) => [product.asin, listedOffers(product, currency)]));
  const unnamed = [...listed.values()]
    .flatMap(({ offers }) => offers)
    .filter(({ isOwn }) => !isOwn)
    .map(({ sellerId }) => sellerId);
  const names = await sellers.namesOf(unnamed, { domain, deadline });
  const { retailerName = platforms.retailer_a.name } = options;
  const shop = { currency, retailerName, names };
  const results = ids.map((id): OffersAnswer => {
    const product = products.get(id);
    const answer = { id, fetchedAt: fetchedAt(product, dependencies.clock) };
    if (product?.productType === productTypes.invalid) return { ...answer, status: "not_found" };
    const foundOffers = listed.get(id);
    if (foundOffers === undefined || !isNamed(foundOffers, names)) {
      return { ...answer, status: "unavailable" };
    }
    const offers = foundOffers.offers.map((offer) => historyOffer(offer, shop));
    return { ...answer, status: "ok", totalOffers: foundOffers.totalOffers, offers };
  });
  return { kind: "read", results };
}

/**
 * Returns true if the name of every seller was looked up, even if the source has no name for some
 * of them.
 */
const isNamed = ({ offers }: ListedOffers, names: SellerNames): boolean =>
  offers.every(({ isOwn, sellerId }) => isOwn || names.has(sellerId));

const fetchedAt = (product: HistoryProduct | undefined, clock: Clock): string =>
  momentOf(product?.lastUpdate, clock.now()).toISOString();
