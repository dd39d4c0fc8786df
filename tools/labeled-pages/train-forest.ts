import { pageHead } from "../../shared/sources/web/page-head.ts";
import type { ForestTable } from "../../shared/sources/web/visible/forest.ts";
import { featureNames, priceFeatures } from "../../shared/sources/web/visible/price-features.ts";
import { pricePage, visiblePage } from "../../shared/sources/web/visible/visible-page.ts";
import { type ForestOptions, growTrees, type Sample } from "./grow-forest.ts";
import type { LabeledPage } from "./labeled-page.ts";

const options: ForestOptions = { seed: 1, trees: 100, depthMax: 8, leafMin: 3 };
/**
 * The limits of the forest's scores (see `ForestTable`), chosen by cross-validation on the training
 * pages.
 */
const limits = { threshold: 0.65, margin: 0.05 };

/**
 * Trains the forest that selects the price among the amounts of a page. The same samples result in
 * the same forest.
 */
export const fitForest = (samples: readonly Sample[]): ForestTable => ({
  features: featureNames,
  ...limits,
  trees: growTrees(samples, options),
});

/**
 * Returns a training sample for each amount that a page shows; none for a page without a labeled
 * price. In each page, the amounts that are prices together weigh as much as the other amounts, and
 * all pages weigh the same.
 */
export function samplesOf({ html, id, url, prices }: LabeledPage): Sample[] {
  if (prices.length === 0) return [];
  const page = pricePage(visiblePage(html, { id, url, currency: null }, () => pageHead(html)));
  const features = priceFeatures(page);
  const isPrice = page.amounts.map(({ amount }) => prices.includes(amount));
  const right = isPrice.filter(Boolean).length;
  const wrong = isPrice.length - right;
  return features.map((values, index) => ({
    features: values,
    isPrice: isPrice[index] === true,
    weight: 1 / (isPrice[index] === true ? right : wrong),
  }));
}
