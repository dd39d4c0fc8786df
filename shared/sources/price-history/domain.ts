import type { PriceHistoryDependencies } from "./source.ts";

/** The price history API's number for each marketplace code. The API has no other marketplaces. */
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
 * Returns the number by which the price history API identifies a marketplace. If the API does not
 * support the marketplace, warns the operator and returns undefined.
 */
export function domainOf(
  marketplace: string,
  { note }: Pick<PriceHistoryDependencies, "note">,
): number | undefined {
  const domain = domains.get(marketplace);
  if (domain === undefined) {
    note?.(
      `a_history: the source does not support the marketplace ${marketplace}; configure another adapter for it`,
    );
  }
  return domain;
}
