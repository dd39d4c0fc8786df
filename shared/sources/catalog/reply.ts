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
  /** Products by stock number without leading zeros; of two with one number the first counts. */
  readonly products: ReadonlyMap<string, CatalogProduct>;
  /** True when the reply proves that an id it does not hold does not exist. */
  readonly isComplete: boolean;
}

/** Stock numbers are numbers to the source, so leading zeros get lost on the way. */
export const skuKey = (id: string): string => id.replace(/^0+(?=\d)/, "");

/**
 * Reads the JSON of a reply to a question for `ids`; null when it is none. Whatever was not asked
 * for is dropped. Absence proves something only in a reply that says it is whole, tells of no trouble
 * and in which every entry is readable, was asked for and stands once: anything else may be an answer
 * to another question, or have one entry in the place of another.
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

/** On one page, and as many as there are in all. */
const isDeclaredComplete = ({ products, total, totalPages, partial }: Reply): boolean =>
  total === products.length && (totalPages ?? 1) <= 1 && partial !== true;
