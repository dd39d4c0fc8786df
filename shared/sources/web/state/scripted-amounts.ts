import { amountOf } from "../amount.ts";
import type { PageScript } from "../scripts.ts";

const linkedData = /ld\+json/i;
const pricePair =
  /(?:pri[cs]e|value|amount|total)\\?["']?\s{0,3}[:=,]\s{0,3}\\?["']?(\d{1,7}(?:\.\d{1,2})?)(?![\d.]\d)/gi;
const pairsMax = 3_000;

/**
 * Counts how often the scripts of a page contain each amount as a price or value. Ignores scripts
 * with JSON-LD.
 */
export function countScriptAmounts(scripts: readonly PageScript[]): Map<number, number> {
  const counts = new Map<number, number>();
  let pairs = 0;
  for (const { attributes, content } of scripts) {
    if (linkedData.test(attributes)) continue;
    for (const [, digits = ""] of content.matchAll(pricePair)) {
      const amount = amountOf(Number(digits), null);
      if (amount !== undefined) counts.set(amount, (counts.get(amount) ?? 0) + 1);
      pairs += 1;
      if (pairs > pairsMax) return counts;
    }
  }
  return counts;
}
