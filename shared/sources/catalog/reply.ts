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

export interface CatalogReply {
  /**
   * Products by stock number without leading zeros. If two have the same number, the first counts.
   */
  readonly products: ReadonlyMap<string, CatalogProduct>;
  /** True if an ID that is missing from the reply does not exist. */
  readonly isComplete: boolean;
}

/** The source stores stock numbers as numbers, so leading zeros are lost. */
export const skuKey = (id: string): string => id.replace(/^0+(?=\d)/, "");

/**
 * Parses a reply for `ids`; returns null if the body is not a reply. Drops products that were not
 * requested.
 *
 * A missing product counts as not existing only if the reply is declared complete and reports no
 * error, and every entry is readable, was requested and occurs once. Any other reply may belong to
 * another request, or have replaced one entry by another.
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

/** Returns true for a reply of one page that contains as many products as it counts. */
const isDeclaredComplete = ({ products, total, totalPages, partial }: Reply): boolean =>
  total === products.length && (totalPages ?? 1) <= 1 && partial !== true;
