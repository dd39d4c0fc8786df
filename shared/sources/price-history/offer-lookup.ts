import { domainOf } from "./domain.ts";
import { type HistoryProduct, productTypes } from "./product.ts";
import { parseProducts } from "./parse-products.ts";
import type { PriceHistoryDependencies, PriceHistoryOptions, HistorySource } from "./source.ts";

/** The number of listings in one call that requests offers. */
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

/** The result of one lookup. */
export type OfferLookup =
  | {
      readonly kind: "read";
      readonly products: ReadonlyMap<string, HistoryProduct>;
      /** The API's number of the marketplace. */
      readonly domain: string;
    }
  /** Failed for a reason that may be in the requested IDs: a smaller batch may succeed. */
  | { readonly kind: "failed" }
  | { readonly kind: "none" };

/** Makes the API read the current live offers of listings. */
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

/** Returns true if the source could read the listing's offers. A parent has none, so it counts. */
export const hasReadOffers = ({ productType, offersSuccessful }: HistoryProduct): boolean =>
  productType === productTypes.parent ||
  (productType !== productTypes.invalid && offersSuccessful === true);
