import { readFileSync } from "node:fs";
import { type ApiCall, type ApiDouble, type ApiReaction, startApiDouble } from "../api-double.ts";

export const apiKey = "canary-key-77aa";

export interface HistoryCall extends ApiCall {
  /** The IDs of items, or of sellers. */
  readonly ids: readonly string[];
}

type Json = Readonly<Record<string, unknown>>;

/**
 * Starts a double of the price history API. `products` chooses its responses to requests for
 * products, and `sellers` those to requests for sellers. By default, every seller has a name.
 * Responds to a wrong key with 402.
 */
export async function startHistoryDouble(
  products: (call: HistoryCall) => ApiReaction,
  sellers: (call: HistoryCall) => ApiReaction = allNamed,
): Promise<ApiDouble> {
  return startApiDouble((call) => {
    const ids = (call.query.get("asin") ?? call.query.get("seller") ?? "").split(",");
    if (call.query.get("key") !== apiKey) return { status: 402 };
    return call.path.endsWith("/seller") ? sellers({ ...call, ids }) : products({ ...call, ids });
  });
}

/** Builds a reply with these fields and, by default, a positive token balance. */
export const envelope = (content: Json, account: Json = {}): Json => ({
  timestamp: 1_772_366_400_000,
  tokensLeft: 1_000,
  refillIn: 30_000,
  refillRate: 100,
  tokensConsumed: 1,
  ...account,
  ...content,
});

/** Returns a reply with a name for each requested seller. */
export const allNamed = ({ ids }: HistoryCall): ApiReaction => ({
  body: envelope({
    sellers: Object.fromEntries(
      ids.map((id) => [id, { sellerId: id, sellerName: `Shop ${id}`, csv: [[7_000_000, 98]] }]),
    ),
  }),
});

/**
 * Builds the array `stats.current` with these values at their indexes, and -1 at all other indexes.
 */
export function current(values: Readonly<Record<number, unknown>>): unknown[] {
  return Array.from({ length: 36 }, (_, place) => (place in values ? values[place] : -1));
}

/** Builds the statistics of a listing that has a buy box, as a reply of the API contains them. */
export const someStats = (fields: Json = {}): Json => ({
  current: current({ 1: 1_999, 2: 1_050, 4: 2_499, 11: 4, 12: 2, 16: 43, 17: 120, 18: 1_999 }),
  totalOfferCount: 6,
  buyBoxPrice: 1_999,
  buyBoxShipping: 0,
  buyBoxSellerId: "A1SELLER01",
  buyBoxIsFBA: true,
  buyBoxIsAmazon: false,
  buyBoxIsUnqualified: false,
  buyBoxIsShippable: true,
  buyBoxIsPreorder: false,
  buyBoxIsBackorder: false,
  buyBoxAvailabilityMessage: "In Stock",
  ...fields,
});

/**
 * A `lastUpdate` of ten minutes ago, in the API's minutes. The adapter ignores data older than a
 * day.
 */
export const lookedAt = Math.floor(Date.now() / 60_000) - 21_564_000 - 10;

/** Builds a product with a buy box. */
export const aListing = (asin: string, fields: Json = {}): Json => ({
  asin,
  domainId: 1,
  productType: 0,
  lastUpdate: lookedAt,
  title: `Kelwick Lamp ${asin}`,
  stats: someStats(),
  ...fields,
});

/** Builds a live offer with this price and these shipping costs, in cents. */
export const anOffer = (
  offerId: number,
  [price, shipping]: readonly [number, number],
  fields: Json = {},
): Json => ({
  offerId,
  sellerId: `A1SELLER${String(offerId).padStart(2, "0")}`,
  condition: 1,
  isAmazon: false,
  isFBA: false,
  offerCSV: [7_000_000, 5_000, 0, 7_975_000, price, shipping],
  ...fields,
});

/** Returns a reply with one product for each requested ID. Each product has a buy box. */
export const allListed = ({ ids }: HistoryCall): ApiReaction => ({
  body: envelope({ products: ids.map((id) => aListing(id)) }),
});

/** Returns the product of the hand-written reply in `test/fixtures/history`. */
export const sampleProduct = (): Json => {
  const url = new URL("../../../fixtures/history/products.json", import.meta.url);
  const { products } = JSON.parse(readFileSync(url, "utf8")) as { products: readonly Json[] };
  return products[0] ?? {};
};
