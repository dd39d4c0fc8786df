import * as v from "valibot";
import { type CatalogProduct, catalogProduct } from "./product.ts";
import { foreignCount, foreignFlag } from "../contract/foreign-value.ts";
import { reportsError } from "../contract/reply-error.ts";

const reply = v.object({
  products: v.array(v.unknown()),
  total: foreignCount,
  totalPages: foreignCount,
  partial: foreignFlag,
});

type Reply = v.InferOutput<typeof reply>;

/** A parsed reply of the source. */
export interface CatalogReply {
  /**
   * Products by stock number without leading zeros. If two products have the same number, the first
   * one is used.
   */
  readonly products: ReadonlyMap<string, CatalogProduct>;
  /**
   * True if the reply is complete. A product that is missing from a complete reply does not exist.
   */
  readonly isComplete: boolean;
}

/**
 * Returns the form of a stock number in replies, without leading zeros: the source stores stock
 * numbers as numbers.
 */
export const skuKey = (id: string): string => id.replace(/^0+(?=\d)/, "");

/**
 * Parses a reply of the source to a request for the stock numbers `ids`. Returns null if the body
 * has no list of products. Ignores products that were not requested. The reply counts as complete
 * if it declares itself complete and reports no error, and if every entry is readable, was
 * requested and occurs once. Any other reply may belong to another request, or may have a wrong
 * entry in place of a requested one.
 */
export function parseCatalogReply(body: unknown, ids: readonly string[]): CatalogReply | null {
  const parsed = v.safeParse(reply, body);
  if (!parsed.success) return null;
  const { products: entries } = parsed.output;
  const asked = new Set(ids.map(skuKey));
  const products = new Map<string, CatalogProduct>();
  let isComplete = isDeclaredComplete(parsed.output) && !reportsError(body);
  for (const entry of entries) {
    const product = v.safeParse(catalogProduct, entry);
    const key = product.success ? skuKey(product.output.sku) : "";
    if (!product.success || !asked.has(key) || products.has(key)) isComplete = false;
    else products.set(key, product.output);
  }
  return { products, isComplete };
}

/**
 * Returns true if the reply has only one page, is not marked as partial, and contains as many
 * products as its `total` states.
 */
const isDeclaredComplete = ({ products, total, totalPages, partial }: Reply): boolean =>
  total === products.length && (totalPages ?? 1) <= 1 && partial !== true;
