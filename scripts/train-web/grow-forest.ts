import type { ForestTable } from "../../shared/sources/web/visible/forest.ts";

/** The features of an amount, and whether it is the price of its page. */
export interface Sample {
  readonly features: readonly number[];
  readonly isPrice: boolean;
  /** The weight of the sample in its forest. */
  readonly weight: number;
}

export interface ForestOptions {
  readonly seed: number;
  readonly trees: number;
  readonly depthMax: number;
  /** The least number of samples in a leaf. */
  readonly leafMin: number;
}

/** The candidate thresholds for one feature of one node. */
const thresholdsMax = 24;
const digits = 3;

/**
 * Grows a random forest (Breiman 2001): every tree from a random draw of the samples, and every
 * node from a random choice of the features. The same samples, options and seed result in the same
 * forest.
 */
export function grownTrees(
  samples: readonly Sample[],
  options: ForestOptions,
): ForestTable["trees"] {
  const fraction = randomFractions(options.seed);
  return Array.from({ length: options.trees }, () => {
    const draw = Array.from(
      samples,
      () => samples[Math.floor(fraction() * samples.length)],
    ).filter((sample) => sample !== undefined);
    const nodes: number[] = [];
    grow(draw, 0, { nodes, options, fraction });
    return nodes;
  });
}

interface Growth {
  readonly nodes: number[];
  readonly options: ForestOptions;
  readonly fraction: () => number;
}

interface Split {
  readonly feature: number;
  readonly threshold: number;
  readonly impurity: number;
}

/** Adds a node and everything below it. Returns the position of the node. */
function grow(samples: readonly Sample[], depth: number, growth: Growth): number {
  const { nodes, options } = growth;
  const at = nodes.length / 4;
  const share = shareOf(samples);
  nodes.push(-1, rounded(share), 0, 0);
  const isDone = depth >= options.depthMax || samples.length < 2 * options.leafMin;
  const split = isDone || share === 0 || share === 1 ? undefined : bestSplit(samples, growth);
  if (split === undefined) return at;
  const { feature, threshold } = split;
  const isLow = ({ features }: Sample): boolean => (features[feature] ?? 0) <= threshold;
  const low = grow(samples.filter(isLow), depth + 1, growth);
  const high = grow(
    samples.filter((sample) => !isLow(sample)),
    depth + 1,
    growth,
  );
  nodes.splice(at * 4, 4, feature, threshold, low, high);
  return at;
}

function bestSplit(
  samples: readonly Sample[],
  { options, fraction }: Growth,
): Split | undefined {
  const count = samples[0]?.features.length ?? 0;
  let best: Split | undefined;
  for (const feature of chosenFeatures(count, fraction)) {
    for (const threshold of thresholdsOf(samples, feature)) {
      const split = { feature, threshold, impurity: impurityOf(samples, feature, threshold, options) };
      if (split.impurity < (best?.impurity ?? Infinity)) best = split;
    }
  }
  return best?.impurity === Infinity ? undefined : best;
}

/** Chooses as many different features as the square root of their number, plus one. */
function chosenFeatures(count: number, fraction: () => number): number[] {
  const left = Array.from({ length: count }, (_, feature) => feature);
  const wanted = Math.ceil(Math.sqrt(count)) + 1;
  return Array.from({ length: Math.min(wanted, count) }, () =>
    left.splice(Math.floor(fraction() * left.length), 1),
  ).flat();
}

function thresholdsOf(samples: readonly Sample[], feature: number): number[] {
  const values = [...new Set(samples.map(({ features }) => features[feature] ?? 0))].toSorted(
    (a, b) => a - b,
  );
  const middles = values.slice(1).map((value, index) => rounded((value + (values[index] ?? 0)) / 2));
  const every = Math.max(1, Math.ceil(middles.length / thresholdsMax));
  return middles.filter((_, index) => index % every === 0);
}

/** Returns the weighted Gini impurity after a split; infinity if a side has too few samples. */
function impurityOf(
  samples: readonly Sample[],
  feature: number,
  threshold: number,
  { leafMin }: ForestOptions,
): number {
  const low = { count: 0, weight: 0, right: 0 };
  const high = { count: 0, weight: 0, right: 0 };
  for (const { features, weight, isPrice } of samples) {
    const side = (features[feature] ?? 0) <= threshold ? low : high;
    side.count += 1;
    side.weight += weight;
    if (isPrice) side.right += weight;
  }
  if (low.count < leafMin || high.count < leafMin) return Infinity;
  return [low, high].reduce(
    (sum, { weight, right }) => sum + (weight === 0 ? 0 : (right * (weight - right)) / weight),
    0,
  );
}

function shareOf(samples: readonly Sample[]): number {
  const weight = samples.reduce((sum, sample) => sum + sample.weight, 0);
  const right = samples.reduce((sum, sample) => sum + (sample.isPrice ? sample.weight : 0), 0);
  return weight === 0 ? 0 : right / weight;
}

const rounded = (value: number): number => Number(value.toFixed(digits));

/** Returns a function with a sequence of fractions that the seed determines (mulberry32). */
function randomFractions(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d_2b_79_f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
