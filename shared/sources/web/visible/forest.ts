/**
 * A random forest as a table. A tree is a list of numbers, four for each node: the index of the
 * feature, the threshold, the next node for a value up to the threshold, and the next node for a
 * higher value. Nodes are counted from 0. In a leaf, the index is -1, and the threshold is the
 * share of this leaf's training amounts that were the price of their page.
 */
export interface ForestTable {
  /** The names of the features, in the order of their indexes. */
  readonly features: readonly string[];
  readonly trees: readonly (readonly number[])[];
  /** Minimum score of an amount that counts as the price. */
  readonly threshold: number;
  /** Minimum difference between the score of the price and the score of any other amount. */
  readonly margin: number;
}

const leaf = -1;

/**
 * Returns the score of an amount, from 0 to 1. The higher the score, the more probable it is that
 * the amount is the price. The score is the mean of the predictions of all trees of the price
 * forest.
 * @param features the numbers that describe the amount, from `priceFeatures`
 */
export function scoreOf({ trees }: ForestTable, features: readonly number[]): number {
  let sum = 0;
  for (const tree of trees) sum += predict(tree, features);
  return sum / trees.length;
}

/** Returns the prediction of one tree: the share in the leaf that the features reach. */
function predict(tree: readonly number[], features: readonly number[]): number {
  let at = 0;
  for (;;) {
    const feature = tree[at] ?? leaf;
    const threshold = tree[at + 1] ?? 0;
    if (feature === leaf) return threshold;
    const isLow = (features[feature] ?? 0) <= threshold;
    at = (tree[isLow ? at + 2 : at + 3] ?? 0) * 4;
  }
}
