import { type HistoryProduct, productsOf } from "./product.ts";
import type { PriceHistoryDependencies } from "./source.ts";
import { replyProblem } from "../contract/reply-error.ts";

interface Reading {
  readonly ids: readonly string[];
  /** The API's number of the requested marketplace. */
  readonly domain: number;
  readonly dependencies: PriceHistoryDependencies;
}

/**
 * Returns `productsOf` a reply; warns the operator of an error that made requested products
 * missing.
 */
export function parseProducts(
  body: unknown,
  { ids, domain, dependencies }: Reading,
): ReadonlyMap<string, HistoryProduct> | null {
  const products = productsOf(body, { domain, now: dependencies.clock.now() });
  if (products === null) return null;
  const problem = replyProblem(body, { asked: ids.length, found: products.size });
  if (problem !== undefined) dependencies.note?.(`a_history: the source ${problem}`);
  return products;
}
