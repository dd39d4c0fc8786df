import { currencyOf, platforms } from "../../platforms/catalog.ts";
import { scrapers } from "../../scrapers/catalog.ts";
import type { Answer, ReadRequest, Scraper } from "../../scrapers/scraper.ts";
import { domainOf } from "./domain.ts";
import { historyAnswer, type HistoryTier, sellerToName } from "./fields.ts";
import type { HistoryProduct } from "./product.ts";
import { parseProducts } from "./parse-products.ts";
import { historySellers, type Sellers } from "./sellers.ts";
import {
  type PriceHistoryDependencies,
  type PriceHistoryOptions,
  historySource,
  type HistorySource,
} from "./source.ts";
import { type BatchOutcome, readInBatches } from "../http/in-batches.ts";

export type { PriceHistoryDependencies, PriceHistoryOptions } from "./source.ts";

/** The maximum number of IDs in one call. */
const batchIdsMax = 100;
const callsAtOnceDefault = 8;

/** The price of one item in tokens. The tiers `lite` and `full` pay extra for the buy box. */
const tierCosts: Readonly<Record<HistoryTier, number>> = { pulse: 1, lite: 3, full: 3 };

/**
 * Creates the scraper of `retailer_a` for a price history API. `fetchedAt` is the time at which the
 * API last read the product.
 *
 * An item is `not_found` if the source reports it as invalid. An item is `unavailable` if the reply
 * does not contain the item, or if the source read it more than `readingAgeMaxMs` ago.
 */
export function priceHistoryScraper(
  options: PriceHistoryOptions,
  dependencies: PriceHistoryDependencies,
): Scraper {
  const source = historySource(options, dependencies);
  const sellers = historySellers(source);
  return {
    read: (request) =>
      readInBatches(request.ids, {
        batchMax: batchIdsMax,
        atOnce: options.callsAtOnceMax ?? callsAtOnceDefault,
        read: (ids) => readBatch(ids, { request, options, dependencies, source, sellers }),
        unread: (id) => unavailable(id, dependencies.clock.now()),
      }),
  };
}

const unavailable = (id: string, now: Date): Answer => ({
  id,
  status: "unavailable",
  fetchedAt: now.toISOString(),
});

interface BatchReading {
  readonly request: ReadRequest;
  readonly options: PriceHistoryOptions;
  readonly dependencies: PriceHistoryDependencies;
  readonly source: HistorySource;
  readonly sellers: Sellers;
}

/** Reads items in one call, and then the names of the sellers in their buy boxes. */
async function readBatch(
  ids: readonly string[],
  reading: BatchReading,
): Promise<BatchOutcome<Answer>> {
  const { request, options, dependencies, source, sellers } = reading;
  const { marketplace, deadline } = request;
  const tier = tierOf(request);
  const domain = domainOf(marketplace, dependencies);
  if (domain === undefined) return { kind: "none" };
  const parameters = {
    domain: String(domain),
    asin: ids.join(","),
    history: "0",
    stats: "1",
    ...(tier !== "pulse" && { buybox: "1" }),
  };
  const cost = tierCosts[tier] * ids.length;
  const reply = await source.send({ path: "product", parameters, cost, deadline });
  if (reply.kind !== "read") return reply;
  const products = parseProducts(reply.body, { ids, domain, dependencies });
  if (products === null) return { kind: "none" };
  const currency = currencyOf("retailer_a", marketplace);
  const unnamed = tier === "pulse" ? [] : sellersToName(products, currency);
  const names = await sellers.namesOf(unnamed, { domain: String(domain), deadline });
  const now = dependencies.clock.now();
  const { retailerName = platforms.retailer_a.name, pageBaseUrl, imageBaseUrl } = options;
  const shop = { tier, currency, now, retailerName, pageBaseUrl, imageBaseUrl, names };
  const results = ids.map((id) => {
    const product = products.get(id);
    return product === undefined ? unavailable(id, now) : historyAnswer(product, shop);
  });
  return { kind: "read", results };
}

const sellersToName = (
  products: ReadonlyMap<string, HistoryProduct>,
  currency: string,
): readonly string[] =>
  [...products.values()]
    .map((product) => sellerToName(product, currency))
    .filter((id) => id !== undefined);

/** Returns the tier of a scraper of retailer_a. */
function tierOf({ scraper }: ReadRequest): HistoryTier {
  const { tier } = scrapers[scraper];
  return tier === "pulse" || tier === "full" ? tier : "lite";
}
