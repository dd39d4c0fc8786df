import { type ProductScraperId, stepScraperIds } from "../../../shared/scrapers/catalog.ts";
import type { OfferReference } from "../../../shared/scrapers/scraper.ts";
import { historyOfferId } from "../../../shared/sources/price-history/offer-id.ts";
import {
  parseSources,
  type SourceConfiguration,
} from "../../../shared/sources/registry/configuration.ts";
import { offerSources } from "../../../shared/sources/registry/offer-sources.ts";
import { scraperFor } from "../../../shared/sources/registry/scraper-sources.ts";
import type { SourceDependencies } from "../../../shared/sources/registry/parts.ts";
import type { SourceReport } from "../../../shared/sources/registry/report.ts";
import type {
  MisbehavingSubject,
  PortAnswer,
  ReaderOptions,
  SourceReader,
} from "../../contracts/misbehaving-source.contract.ts";
import type { SourceRequest } from "../../contracts/misbehaving-server.ts";
import { aSourceWorld } from "../../support/source-dependencies.ts";
import * as history from "./price-history/double.ts";
import * as affiliate from "./affiliate/double.ts";
import * as catalog from "./catalog/double.ts";
import { aProduct as storefrontProduct } from "./storefront/product.ts";
import * as page from "./web/page.ts";

const marketplace = "us";
/** A rate that delays no call. Other tests cover rates. */
const pace = { callsPerSecond: 1_000, burst: 100 };
const sandboxes = Object.fromEntries(stepScraperIds.map((id) => [id, { adapter: "sandbox" }]));

type Options = Readonly<Record<string, unknown>>;

interface Configured {
  readonly scrapers: readonly string[];
  readonly options: Options;
  readonly secret?: string | undefined;
}

/** Creates sources from the configuration as the service does, without jitter. */
function compose<Source>(
  { scrapers, options, secret = "" }: Configured,
  make: (sources: SourceConfiguration, dependencies: SourceDependencies) => Source,
): { readonly made: Source; readonly reports: SourceReport[] } {
  const reports: SourceReport[] = [];
  const world = aSourceWorld({
    random: { bytes: (length) => new Uint8Array(length), fraction: () => 0 },
    secrets: { read: () => Promise.resolve(secret) },
    report: (report) => reports.push(report),
  });
  const configured = Object.fromEntries(scrapers.map((id) => [id, options]));
  const sources = parseSources(JSON.stringify({ ...sandboxes, ...configured }), {
    allowVariables: true,
  });
  return { made: make(sources, world), reports };
}

function products(scraper: ProductScraperId, options: Options, secret?: string): SourceReader {
  const { made, reports } = compose({ scrapers: [scraper], options, secret }, scraperFor);
  return {
    reports,
    read: (ids, deadline) => made(scraper).read({ scraper, marketplace, ids, deadline }),
  };
}

/** A source recognizes only its own offer IDs, so one source serves both scrapers. */
const offerScrapers = ["retailer_a.offers", "retailer_a.offer_check"] as const;

function offers(options: Options, secret?: string): SourceReader {
  const { made, reports } = compose({ scrapers: offerScrapers, options, secret }, offerSources);
  return {
    reports,
    read: (ids, deadline) => made.offerScraperFor().readOffers({ marketplace, ids, deadline }),
  };
}

/** Creates a reader that checks one offer for each ID. */
function checks(
  offerOf: (id: string) => OfferReference,
  options: Options,
  secret?: string,
): SourceReader {
  const { made, reports } = compose({ scrapers: offerScrapers, options, secret }, offerSources);
  return {
    reports,
    async read(ids, deadline) {
      const asked = new Map(ids.map((id) => [JSON.stringify(offerOf(id)), id]));
      const request = { marketplace, offers: ids.map(offerOf), deadline };
      const answers = await made.offerCheckerFor().checkOffers(request);
      return answers.map(({ asin, offerListingId, ...answer }): PortAnswer => {
        const id = asked.get(JSON.stringify({ asin, offerListingId })) ?? "nobody's";
        return Object.assign(answer, { id });
      });
    },
  };
}

const title = (id: string): string => `Crème brûlée ${id}`;
const [price, dearer] = [19.99, 24.5];

const jsonSpeech = { contentType: "application/json", written: JSON.stringify } as const;
const numbers = { ids: ["6501234", "6505678"], stranger: "6509999" } as const;
const asins = { ids: ["B0LAMP0001", "B0LAMP0002"], stranger: "B0STRANGER" } as const;

const catalogScraper: MisbehavingSubject = {
  name: "the adapter d_catalog",
  questions: 1,
  ...numbers,
  leftOut: "not_found",
  wrongBytes: "a wrong letter",
  start: (url, options) =>
    products("retailer_d.standard", { adapter: "d_catalog", baseUrl: url, ...pace, ...options }),
  speech: {
    ...jsonSpeech,
    idsOf: ({ path }) => /sku in\(([\d,]+)\)/.exec(path)?.[1]?.split(",") ?? null,
    entry: (id, isDearer = false) =>
      catalog.aProduct(id, { name: title(id), salePrice: isDearer ? dearer : price }),
    reply: catalog.wholeReply,
  },
};

const affiliateScraper: MisbehavingSubject = {
  name: "the adapter b_affiliate",
  questions: 1,
  ...numbers,
  leftOut: "not_found",
  wrongBytes: "a wrong letter",
  start(url, options) {
    const { consumerId, keyVersion, privateKey } = affiliate;
    const own = { consumerId, keyVersion, privateKey: "/sources/b", ...pace, ...options };
    const whole = { adapter: "b_affiliate", baseUrl: `${url}/v2`, ...own };
    return products("retailer_b.standard", whole, privateKey);
  },
  speech: {
    ...jsonSpeech,
    idsOf: ({ query }) => query.get("ids")?.split(",") ?? null,
    entry: (id, isDearer = false) =>
      affiliate.anItem(id, {
        name: title(id),
        salePrice: isDearer ? dearer : price,
        customerRating: 4.3,
        numReviews: 12,
      }),
    reply: (items) => ({ items }),
  },
};

const priceHistoryScraper = { adapter: "a_history", secret: "/sources/a", ...pace } as const;

const historySpeech = {
  ...jsonSpeech,
  idsOf: ({ path, query }: SourceRequest) =>
    path === "/product" ? (query.get("asin")?.split(",") ?? null) : null,
  aside: ({ query }: SourceRequest) => {
    const sellers = (query.get("seller") ?? "").split(",");
    const named = sellers.map((id) => [id, { sellerId: id, sellerName: `Shop ${id}` }]);
    return JSON.stringify(history.envelope({ sellers: Object.fromEntries(named) }));
  },
  reply: (listings: readonly unknown[]) => history.envelope({ products: listings }),
};

const priceHistoryProducts: MisbehavingSubject = {
  name: "the adapter a_history for products",
  questions: 1,
  ...asins,
  leftOut: "unavailable",
  wrongBytes: "a wrong letter",
  start: (url, options) =>
    products(
      "retailer_a.lite",
      { ...priceHistoryScraper, baseUrl: url, ...options },
      history.apiKey,
    ),
  speech: {
    ...historySpeech,
    entry: (id, isDearer = false) =>
      history.aListing(id, {
        title: title(id),
        stats: history.someStats({ buyBoxPrice: isDearer ? 2_450 : 1_999 }),
      }),
  },
};

const priceHistoryOffers: MisbehavingSubject = {
  ...priceHistoryProducts,
  name: "the adapter a_history for offers",
  start: (url, options) =>
    offers({ ...priceHistoryScraper, baseUrl: url, ...options }, history.apiKey),
  speech: {
    ...historySpeech,
    entry: (id, isDearer = false) =>
      history.aListing(id, {
        offersSuccessful: true,
        offers: [history.anOffer(1, [isDearer ? 2_450 : 1_999, 0], { conditionComment: "Abîmé" })],
      }),
  },
};

/** Returns the offer of a listing, with the ID that a read of its offers returns. */
const historyOfferOf = (asin: string): OfferReference => {
  const seller = { sellerId: "A1SELLER01", condition: "new", isFba: false };
  return { asin, offerListingId: historyOfferId({ listing: asin, ...seller }) };
};

const priceHistoryChecks: MisbehavingSubject = {
  ...priceHistoryOffers,
  name: "the adapter a_history for offer checks",
  start: (url, options) =>
    checks(historyOfferOf, { ...priceHistoryScraper, baseUrl: url, ...options }, history.apiKey),
};

/**
 * The values of the adapter `upstream`. Only this adapter rejects a reply with bytes that are
 * invalid in the declared charset: its server belongs to the deployer, who can correct the charset.
 */
const strict = { leftOut: "unavailable", wrongBytes: "no reply" } as const;

const upstreamAt = (url: string, options: ReaderOptions): Options => ({
  adapter: "upstream",
  baseUrl: url,
  ...pace,
  ...options,
});

const upstreamSpeech = {
  ...jsonSpeech,
  idsOf: ({ path, body }: SourceRequest) => {
    const { ids, offers: asked } = JSON.parse(body) as {
      readonly ids?: readonly string[];
      readonly offers?: readonly { readonly offerListingId: string }[];
    };
    if (path !== "/read") return null;
    return ids ?? asked?.map(({ offerListingId }) => offerListingId) ?? null;
  },
  reply: (results: readonly unknown[]) => ({ results, by: "Crème" }),
};

const upstreamProducts: MisbehavingSubject = {
  name: "the adapter upstream for products",
  questions: 1,
  ...numbers,
  ...strict,
  start: (url, options) => products("retailer_c.standard", upstreamAt(url, options)),
  speech: {
    ...upstreamSpeech,
    entry: (id, isDearer = false) => ({
      id,
      status: "ok",
      data: {
        title: title(id),
        price: { amount: isDearer ? dearer : price, currency: "USD" },
        availability: { inStock: true, message: "In stock" },
        retailer_c: { regularPrice: 29.99, shipping: "IN_STOCK" },
      },
    }),
  },
};

const upstreamOffers: MisbehavingSubject = {
  name: "the adapter upstream for offers",
  questions: 1,
  ...asins,
  ...strict,
  start: (url, options) => offers(upstreamAt(url, options)),
  speech: {
    ...upstreamSpeech,
    entry: (id, isDearer = false) => ({
      id,
      status: "ok",
      data: {
        totalOffers: 3,
        offers: [
          {
            offerListingId: `offer-${id}`,
            price: isDearer ? dearer : price,
            currency: "USD",
            priceDisplay: "$19.99",
            condition: "used_good",
            conditionNote: "Abîmé",
            seller: { id: "S1", name: "Lampes Kelwick", ratingCount: 12 },
            fulfillment: { isFba: false, fulfillerName: "Lampes Kelwick" },
            isBuybox: false,
          },
        ],
      },
    }),
  },
};

/** The item to which all offers belong. */
const asin = "B0LAMP0001";

const upstreamChecks: MisbehavingSubject = {
  name: "the adapter upstream for offer checks",
  questions: 1,
  ...strict,
  ids: ["offer-1", "offer-2"],
  stranger: "offer-9",
  start: (url, options) =>
    checks((offerListingId) => ({ asin, offerListingId }), upstreamAt(url, options)),
  speech: {
    ...upstreamSpeech,
    entry: (id, isDearer = false) => ({
      id,
      asin,
      status: "ok",
      data: { buyable: !isDearer },
    }),
  },
};

const storefrontIdOf = (id: string): string => `gid://store/ProductVariant/${id}`;

/**
 * A store's reply names the requested ID of each variant, so the adapter ignores a variant with
 * another ID.
 */
const storefront: MisbehavingSubject = {
  name: "the adapter storefront",
  questions: 1,
  refusesContradictions: true,
  ...numbers,
  leftOut: "unavailable",
  wrongBytes: "a wrong letter",
  start: (url, options) =>
    products("retailer_b.standard", {
      adapter: "storefront",
      baseUrl: url,
      idTemplate: storefrontIdOf("{id}"),
      ...pace,
      ...options,
    }),
  speech: {
    ...jsonSpeech,
    idsOf({ path, body }) {
      if (path !== "/api/ucp/mcp") return null;
      const { params } = JSON.parse(body) as {
        readonly params: { readonly arguments: { readonly catalog: { readonly ids: string[] } } };
      };
      return params.arguments.catalog.ids.map((id) => id.split("/").at(-1) ?? "");
    },
    entry: (id, isDearer = false) =>
      storefrontProduct(storefrontIdOf(id), {
        title: title(id),
        amount: isDearer ? 2_450 : 1_999,
      }),
    reply: (found) => ({
      jsonrpc: "2.0",
      id: 1,
      result: { structuredContent: { ucp: { version: "2026-08-25" }, products: found } },
    }),
  },
};

type Product = Readonly<Record<string, unknown>>;

const pageProduct = (id: string, isDearer = false): Product =>
  page.aProduct({
    sku: id,
    name: title(id),
    offers: page.anOffer({ price: isDearer ? dearer : price }),
  });

/** Each page describes one item, so a page without the requested item describes another item. */
const web: MisbehavingSubject = {
  name: "the adapter web",
  ...numbers,
  questions: 2,
  leftOut: "unavailable",
  wrongBytes: "a wrong letter",
  start: (url, options) =>
    products("retailer_c.standard", {
      adapter: "web",
      urlTemplate: `${url}/p/{id}`,
      userAgent: "lamp-reader/1.0 (+https://reader.example/about)",
      callsPerSecond: 50,
      burst: 100,
      ...options,
    }),
  speech: {
    contentType: "text/html",
    idsOf: ({ path }) => /^\/p\/(\d+)$/.exec(path)?.slice(1) ?? null,
    entry: pageProduct,
    reply: (found) => (found.length > 0 ? found : [pageProduct(numbers.stranger)]),
    written: (found) => {
      const [{ sku } = {}] = found as readonly Product[];
      return page
        .aPage(page.linkedData(...(found as readonly Product[])))
        .replace("/p/6501234", `/p/${String(sku)}`);
    },
  },
};

/** Every adapter that reads over HTTP, with each kind of read that it supports. */
export const misbehavingSubjects: readonly MisbehavingSubject[] = [
  catalogScraper,
  affiliateScraper,
  priceHistoryProducts,
  priceHistoryOffers,
  priceHistoryChecks,
  upstreamProducts,
  upstreamOffers,
  upstreamChecks,
  storefront,
  web,
];
