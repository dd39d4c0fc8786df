import { domainOf } from "./domain.ts";
import { type HistoryProduct, productTypes } from "./product.ts";
import { parseProducts } from "./parse-products.ts";
import type { PriceHistoryDependencies, PriceHistoryOptions, HistorySource } from "./source.ts";

/** The maximum number of listings in one call that requests offers. */
export const listingsPerCallMax = 20;
const offersPerListingDefault = 40;
/** The price of ten offers, in tokens. */
const tokensPerTenOffers = 6;

export interface LookupDependencies {
  readonly options: PriceHistoryOptions;
  readonly dependencies: PriceHistoryDependencies;
  readonly source: HistorySource;
}

export interface LookupRequest {
  readonly marketplace: string;
  readonly deadline: Date;
}

/** The result of one call that requests offers. */
export type OfferLookup =
  | {
      readonly kind: "read";
      readonly products: ReadonlyMap<string, HistoryProduct>;
      /** The API's number for the marketplace. */
      readonly domain: string;
    }
  /** The call failed, possibly because of one of the IDs. A smaller batch may succeed. */
  | { readonly kind: "failed" }
  /** The call failed, and a smaller batch would fail too. */
  | { readonly kind: "none" };

/**
 * Reads the current live offers of listings in one call. The outcome is `read` with the listings
 * that the API returned. If the call fails, the outcome is `failed` or `none`: `failed` if a call
 * for fewer listings may succeed.
 */
export async function lookUpOffers(
  ids: readonly string[],
  { marketplace, deadline }: LookupRequest,
  { options, dependencies, source }: LookupDependencies,
): Promise<OfferLookup> {
  const { offersPerListing = offersPerListingDefault } = options;
  const domain = domainOf(marketplace, dependencies);
  if (domain === undefined) return { kind: "none" };
  const reply = await source.send({
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
    deadline,
  });
  if (reply.kind !== "read") return reply;
  const products = parseProducts(reply.body, { ids, domain, dependencies });
  return products === null ? { kind: "none" } : { kind: "read", products, domain: String(domain) };
}

/**
 * Returns true if the source was able to read the offers of a listing. A parent product counts as
 * read, because it has no offers.
 */
export const hasReadOffers = ({ productType, offersSuccessful }: HistoryProduct): boolean =>
  productType === productTypes.parent ||
  (productType !== productTypes.invalid && offersSuccessful === true);
