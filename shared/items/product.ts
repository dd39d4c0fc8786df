import * as v from "valibot";
import { timestamp } from "../base/wire-schema.ts";
import { type ProductScraperId, scrapers } from "../scrapers/catalog.ts";
import { productFieldNames, productFieldSchemas } from "../scrapers/product-fields.ts";
import type { Answer } from "../scrapers/scraper.ts";

/** A result of `POST /v1/products` (specification, section "Product result"). */
export const productResultSchema = v.pipe(
  v.object({
    id: v.pipe(v.string(), v.description("Item ID of the platform.")),
    asin: v.optional(v.pipe(v.string(), v.description("retailer_a only: the same as `id`."))),
    status: v.pipe(
      v.picklist(["ok", "partial", "not_found", "unavailable"]),
      v.description("`ok` and `not_found` are charged, `partial` and `unavailable` are refunded."),
    ),
    fetchedAt: v.pipe(timestamp, v.description("When the item was read.")),
    ...productFieldSchemas,
  }),
  v.title("ProductResult"),
  v.description(
    "A field that the retailer does not show is absent; null means that it is known to have no value. " +
      "`not_found` and `unavailable` results have no fields.",
  ),
);

/** A product in API responses: its ID and status, and its fields by name. */
export type ProductResult = Readonly<Record<string, unknown>> &
  Pick<Answer, "id" | "status" | "fetchedAt">;

/**
 * Converts the answer for one product to a result in API responses. Only `ok` and `partial` results
 * have product fields. Leaves out fields that the specification does not list.
 */
export function presentProduct(scraper: ProductScraperId, answer: Answer): ProductResult {
  const { id, status, fetchedAt } = answer;
  // According to the specification, a `not_found` result has no `asin`.
  if (status === "not_found") return { id, status, fetchedAt };
  const hasAsin = scrapers[scraper].platform === "retailer_a";
  const result: ProductResult & Record<string, unknown> = hasAsin
    ? { id, asin: id, status, fetchedAt }
    : { id, status, fetchedAt };
  if (answer.status === "unavailable") return result;
  for (const name of productFieldNames[scraper]) {
    const value = answer.fields[name];
    if (value !== undefined) result[name] = value;
  }
  return result;
}
