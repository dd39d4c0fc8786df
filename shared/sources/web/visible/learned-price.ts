import type { ShownAmount } from "./shown-amounts.ts";
import { type ForestTable, scoreOf } from "./forest.ts";
import { type PricePage, priceFeatures } from "./price-features.ts";

/** An amount with its score from the price forest. */
export interface ScoredAmount {
  readonly shown: ShownAmount;
  readonly score: number;
}

/**
 * Returns the different amounts of a page with their scores from the price forest, the highest
 * score first. An amount that occurs several times is returned once, with its highest score.
 */
export function scoreAmounts(page: PricePage, forest: ForestTable): ScoredAmount[] {
  const features = priceFeatures(page);
  const best = new Map<number, ScoredAmount>();
  for (const [index, shown] of page.amounts.entries()) {
    const score = scoreOf(forest, features[index] ?? []);
    if (score > (best.get(shown.amount)?.score ?? -1)) best.set(shown.amount, { shown, score });
  }
  return [...best.values()].toSorted((a, b) => b.score - a.score);
}

/**
 * Returns the amount of a page that the price forest selects as the price. Returns undefined if the
 * highest score is below the threshold, or if another amount has almost the same score.
 */
export function predictPrice(page: PricePage, forest: ForestTable): ShownAmount | undefined {
  const [first, second] = scoreAmounts(page, forest);
  if (first === undefined || first.score < forest.threshold) return undefined;
  return first.score - (second?.score ?? 0) < forest.margin ? undefined : first.shown;
}
