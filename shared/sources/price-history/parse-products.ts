import { type HistoryProduct, productsOf } from "./product.ts";
import type { PriceHistoryDependencies } from "./source.ts";
import { replyProblem } from "../contract/reply-error.ts";

interface Reading {
  readonly ids: readonly string[];
  /** The API's number for the requested marketplace. */
  readonly domain: number;
  readonly dependencies: PriceHistoryDependencies;
}

/**
 * Parses the products of a reply, by item ID. Returns null if the body has no list of products.
 * Warns the operator if the reply reports an error and lacks some of the requested products.
 */
export function parseProducts(
  body: unknown,
  { ids, domain, dependencies }: Reading,
): ReadonlyMap<string, HistoryProduct> | null {
  const products = productsOf(body, { domain, now: dependencies.clock.now() });
  if (products === null) return null;
  const problem = replyProblem(body, { asked: ids.length, foundCount: products.size });
  if (problem !== undefined) dependencies.note?.(`a_history: the source ${problem}`);
  return products;
}
