import type { PriceHistoryDependencies } from "./source.ts";

/** Marketplace codes and their numbers in the price history API. It has no other marketplaces. */
const domains: ReadonlyMap<string, number> = new Map([
  ["us", 1],
  ["uk", 2],
  ["de", 3],
  ["fr", 4],
  ["jp", 5],
  ["ca", 6],
  ["it", 8],
  ["es", 9],
  ["in", 10],
  ["mx", 11],
  ["br", 12],
]);

/**
 * Returns the API's number of a marketplace. Returns undefined and warns if the API does not have
 * it.
 */
export function domainOf(
  marketplace: string,
  { note }: Pick<PriceHistoryDependencies, "note">,
): number | undefined {
  const domain = domains.get(marketplace);
  if (domain === undefined) {
    note?.(`a_history: the source does not read the marketplace ${marketplace}`);
  }
  return domain;
}
