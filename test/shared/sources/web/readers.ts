import { extractProduct, type Extraction } from "../../../../shared/sources/web/extract-product.ts";
import { allFallbacks, type Fallback } from "../../../../shared/sources/web/fallback-facts.ts";
import type { ProductFacts } from "../../../../shared/sources/web/product-facts.ts";
import { parseRules } from "../../../../shared/sources/web/rules/rule.ts";
import type { RuleTexts } from "../../../../shared/sources/web/rules/rule-texts.ts";
import type { ForestTable } from "../../../../shared/sources/web/visible/forest.ts";
import type { WantedProduct } from "../../../../shared/sources/web/wanted-product.ts";

/** A forest that takes every amount for the price, unless the page shows several amounts. */
export const lowForest: ForestTable = {
  features: [],
  threshold: 0,
  margin: 0.1,
  trees: [[-1, 0.9, 0, 0]],
};

interface Readers {
  readonly fallbacks?: readonly Fallback[];
  readonly forest?: ForestTable;
  readonly rules?: RuleTexts;
  readonly wanted?: Partial<WantedProduct>;
}

/**
 * Reads product 6501234 in US dollars from a page, by default with every reader except a forest.
 */
export const readWith = (
  html: string,
  { fallbacks, forest, rules = {}, wanted = {} }: Readers = {},
): Extraction =>
  extractProduct(
    html,
    { id: "6501234", url: new URL("https://shop.example/p/6501234"), currency: "USD", ...wanted },
    {
      fallbacks: fallbacks === undefined ? allFallbacks : new Set(fallbacks),
      forest,
      rules: parseRules(rules),
    },
  );

/** Returns the facts of `readWith`; none if the page does not prove the product. */
export function factsWith(html: string, readers: Readers = {}): ProductFacts {
  const extraction = readWith(html, readers);
  return extraction.proof === "product" ? extraction.facts : {};
}
