import type { Clock } from "../base/clock.ts";
import { currencyOf, platforms } from "../platforms/catalogue.ts";
import type { OffersAnswer, OfferScraper, OffersReadRequest } from "../scrapers/scraper.ts";
import { domainOf } from "./a-history-domain.ts";
import { historyOffer, type ListedOffers, listedOffers } from "./a-history-offer.ts";
import { type HistoryProduct, productsOf, productTypes } from "./a-history-product.ts";
import { historySellers, type SellerNames, type Sellers } from "./a-history-sellers.ts";
import {
  type AHistoryDependencies,
  type AHistoryOptions,
  type HistoryQuery,
  historySource,
  type HistorySource,
} from "./a-history-source.ts";
import { momentOf } from "./a-history-value.ts";
import { type BatchOutcome, readInBatches } from "./http/in-batches.ts";

/** Ids that the API takes in one call when it is to look up offers. */
const batchIdsMax = 20;
const callsAtOnceDefault = 8;
const offersPerListingDefault = 40;
/** What ten offers cost, in tokens. */
const tokensPerTenOffers = 6;

/**
 * Reads offers of retailer_a from a price history API, which looks at the listing for it. Ids of
 * offers are our own (see `historyOfferId`).
 */
export function aHistoryOffers(
  options: AHistoryOptions,
  dependencies: AHistoryDependencies,
): OfferScraper {
  const source = historySource(options, dependencies);
  const sellers = historySellers(source);
  return {
    readOffers: (request) =>
      readInBatches(request.ids, {
        batchMax: batchIdsMax,
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

interface BatchReading {
  readonly request: OffersReadRequest;
  readonly options: AHistoryOptions;
  readonly dependencies: AHistoryDependencies;
  readonly source: HistorySource;
  readonly sellers: Sellers;
}

async function readBatch(
  ids: readonly string[],
  reading: BatchReading,
): Promise<BatchOutcome<OffersAnswer>> {
  const { request, options, dependencies, sellers, source } = reading;
  const { marketplace, deadline } = request;
  const domain = domainOf(marketplace, dependencies);
  if (domain === undefined) return { kind: "none" };
  const reply = await source.ask(queryFor(ids, domain, reading));
  if (reply.kind !== "read") return reply;
  const products = productsOf(reply.body, domain);
  if (products === null) return { kind: "none" };
  const currency = currencyOf("retailer_a", marketplace);
  const shown = [...products.values()].filter(isShown);
  const listed = new Map(shown.map((product) => [product.asin, listedOffers(product, currency)]));
  const unnamed = [...listed.values()]
    .flatMap(({ offers }) => offers)
    .filter(({ isOwn }) => !isOwn)
    .map(({ sellerId }) => sellerId);
  const names = await sellers.namesOf(unnamed, { domain: String(domain), deadline });
  const { retailerName = platforms.retailer_a.name } = options;
  const shop = { currency, retailerName, names };
  const results = ids.map((id): OffersAnswer => {
    const product = products.get(id);
    const answer = { id, fetchedAt: fetchedAt(product, dependencies.clock) };
    if (product?.productType === productTypes.invalid) return { ...answer, status: "not_found" };
    const found = listed.get(id);
    if (found === undefined || !isNamed(found, names)) {
      return { ...answer, status: "unavailable" };
    }
    const offers = found.offers.map((offer) => historyOffer(offer, shop));
    return { ...answer, status: "ok", totalOffers: found.totalOffers, offers };
  });
  return { kind: "read", results };
}

function queryFor(
  ids: readonly string[],
  domain: number,
  { request, options }: BatchReading,
): HistoryQuery {
  const { offersPerListing = offersPerListingDefault } = options;
  return {
    path: "product",
    parameters: {
      domain: String(domain),
      asin: ids.join(","),
      history: "0",
      stats: "1",
      offers: String(offersPerListing),
      "only-live-offers": "1",
    },
    cost: Math.ceil(offersPerListing / 10) * tokensPerTenOffers * ids.length,
    deadline: request.deadline,
  };
}

/** A listing whose offers the source could look at; a parent has none. */
const isShown = ({ productType, offersSuccessful }: HistoryProduct): boolean =>
  productType === productTypes.parent ||
  (productType !== productTypes.invalid && offersSuccessful === true);

/** False when names could not be asked for: another time they will be there. */
const isNamed = ({ offers }: ListedOffers, names: SellerNames): boolean =>
  offers.every(({ isOwn, sellerId }) => isOwn || names.has(sellerId));

const fetchedAt = (product: HistoryProduct | undefined, clock: Clock): string =>
  momentOf(product?.lastUpdate, clock.now()).toISOString();
