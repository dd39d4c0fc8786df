import type { ScraperId } from "../scrapers/catalogue.ts";
import { productFieldNames } from "../scrapers/product-fields.ts";
import type { Answer } from "../scrapers/scraper.ts";

/** A result of `POST /v1/products` (specification, section "Product result"). */
export type ProductResult = Readonly<Record<string, unknown>> &
  Pick<Answer, "id" | "status" | "fetchedAt">;

/** An answer in the wire's words; whatever else a source may have said stays behind. */
export function presentProduct(scraper: ScraperId, answer: Answer): ProductResult {
  const { id, status, fetchedAt } = answer;
  if (status === "not_found" || status === "unavailable") return { id, status, fetchedAt };
  const names: readonly string[] = productFieldNames[scraper];
  const shown = names.flatMap((name) => {
    const value = answer.fields[name];
    return value === undefined ? [] : [[name, value] as const];
  });
  return { id, status, fetchedAt, ...Object.fromEntries(shown) };
}
