import { currencyOf } from "../../platforms/catalog.ts";
import { scrapers } from "../../scrapers/catalog.ts";
import type {
  Answer,
  OfferCheckAnswer,
  OfferChecker,
  OfferReference,
  OffersAnswer,
  OfferScraper,
  ReadRequest,
  Scraper,
} from "../../scrapers/scraper.ts";
import { batchSize } from "../http/batch-size.ts";
import {
  readUpstream,
  type UpstreamDependencies,
  type UpstreamOptions,
  type UpstreamQuery,
} from "./exchange.ts";
import { buyableFrom, offersFrom, productFrom } from "./result-data.ts";
import type { UpstreamEntry, UpstreamResult } from "./reply.ts";

/**
 * Creates a scraper that reads products from an upstream server. The contract of the server is at
 * `/docs/upstream`. An item without a valid entry in the reply is `unavailable`.
 */
export function upstreamScraper(
  options: UpstreamOptions,
  dependencies: UpstreamDependencies,
): Scraper {
  const size = batchSize(options.batchIdsMax);
  return {
    async read(request) {
      const { scraper, marketplace, ids, deadline } = request;
      const query = { scraper, marketplace, items: ids, deadline, size, ...byId };
      const entries = await readEntries(query, options, dependencies);
      const at = dependencies.clock.now().toISOString();
      return ids.map((id, n) => productAnswer({ id, entry: entries[n], request, at }));
    },
  };
}

/**
 * Creates a scraper that reads offers from an upstream server. A listing without a valid entry in
 * the reply is `unavailable`.
 */
export function upstreamOffers(
  options: UpstreamOptions,
  dependencies: UpstreamDependencies,
): OfferScraper {
  const size = batchSize(options.batchIdsMax);
  return {
    async readOffers({ marketplace, ids, deadline }) {
      const scraper = "retailer_a.offers";
      const query = { scraper, marketplace, items: ids, deadline, size, ...byListing } as const;
      const entries = await readEntries(query, options, dependencies);
      const currency = currencyOf("retailer_a", marketplace);
      const at = dependencies.clock.now().toISOString();
      return ids.map((id, n) => offersAnswer(id, entries[n], { at, currency }));
    },
  };
}

/**
 * Creates an offer checker that uses an upstream server. An offer of an item that does not exist is
 * not buyable. An offer without a valid entry in the reply is `unavailable`.
 */
export function upstreamOfferChecker(
  options: UpstreamOptions,
  dependencies: UpstreamDependencies,
): OfferChecker {
  const size = batchSize(options.batchIdsMax);
  return {
    async checkOffers({ marketplace, offers, deadline }) {
      const scraper = "retailer_a.offer_check";
      const query = { scraper, marketplace, items: offers, deadline, size, ...byOffer } as const;
      const entries = await readEntries(query, options, dependencies);
      const at = dependencies.clock.now().toISOString();
      return offers.map((offer, n) => checkAnswer(offer, entries[n], at));
    },
  };
}

/**
 * Reads one entry for each item. Warns the operator if a reply that reports an error also contains
 * a `not_found`, because the contract at `/docs/upstream` forbids this.
 */
async function readEntries<Item>(
  query: UpstreamQuery<Item>,
  options: UpstreamOptions,
  dependencies: UpstreamDependencies,
): Promise<(UpstreamEntry | undefined)[]> {
  const entries = await readUpstream(query, options, dependencies);
  if (entries.some((entry) => entry?.isDowngraded)) {
    dependencies.note({ kind: "unreadable", scraper: query.scraper });
  }
  return entries;
}

const byId = {
  bodyFor: (ids: readonly string[]): object => ({ ids }),
  keyOf: (id: string): string => id,
  keyOfResult: ({ id }: UpstreamResult): string => id,
};

const byListing = {
  ...byId,
  bodyFor: (ids: readonly string[]): object => ({ ids, condition: "all" }),
};

/**
 * Returns the key of an offer. The key contains the item, because several items may have the same
 * offer ID.
 */
const pairKey = (asin: string | undefined, offerListingId: string): string =>
  JSON.stringify([asin, offerListingId]);

const byOffer = {
  bodyFor: (offers: readonly OfferReference[]): object => ({ offers }),
  keyOf: ({ asin, offerListingId }: OfferReference): string => pairKey(asin, offerListingId),
  keyOfResult: ({ id, asin }: UpstreamResult): string => pairKey(asin, id),
};

interface ProductReading {
  readonly id: string;
  readonly entry: UpstreamEntry | undefined;
  readonly request: ReadRequest;
  readonly at: string;
}

/**
 * Converts an entry to the answer for an item.
 * @param reading.at time of the read (ISO 8601), for an item without an entry
 */
function productAnswer({ id, entry, request, at }: ProductReading): Answer {
  if (entry === undefined) return { id, status: "unavailable", fetchedAt: at };
  const { status, fetchedAt, data } = entry;
  if (status === "not_found" || status === "unavailable") return { id, status, fetchedAt };
  const { scraper, marketplace } = request;
  const currency = currencyOf(scrapers[scraper].platform, marketplace);
  const product = productFrom(scraper, data, currency);
  if (product === null) return { id, status: "unavailable", fetchedAt };
  // A "partial" from the server is kept, because the missing field may be one that the schema does
  // not require.
  const finalStatus = status === "partial" ? status : product.status;
  return { id, status: finalStatus, fetchedAt, fields: product.fields };
}

/**
 * Converts an entry to the answer for a listing.
 * @param at time of the read (ISO 8601), for a listing without an entry
 */
function offersAnswer(
  id: string,
  entry: UpstreamEntry | undefined,
  { at, currency }: { readonly at: string; readonly currency: string },
): OffersAnswer {
  if (entry?.status === "not_found") return { id, status: "not_found", fetchedAt: entry.fetchedAt };
  const foundOffers = entry?.status === "ok" ? offersFrom(entry.data, currency) : null;
  if (entry === undefined || foundOffers === null) {
    return { id, status: "unavailable", fetchedAt: entry?.fetchedAt ?? at };
  }
  return { id, status: "ok", fetchedAt: entry.fetchedAt, ...foundOffers };
}

/**
 * Converts an entry to the answer for an offer. For an item that does not exist, the offer is not
 * buyable.
 */
function checkAnswer(
  { asin, offerListingId }: OfferReference,
  entry: UpstreamEntry | undefined,
  at: string,
): OfferCheckAnswer {
  const answer = { asin, offerListingId, fetchedAt: entry?.fetchedAt ?? at };
  if (entry?.status === "not_found") return { ...answer, status: "ok", buyable: false };
  const buyable = entry?.status === "ok" ? buyableFrom(entry.data) : undefined;
  return buyable === undefined
    ? { ...answer, status: "unavailable" }
    : { ...answer, status: "ok", buyable };
}
