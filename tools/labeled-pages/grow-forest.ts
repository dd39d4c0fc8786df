import type { ForestTable } from "../../shared/sources/web/visible/forest.ts";
import { seededGenerator } from "../stand-ins/seeded.ts";

/** The features of an amount, and whether it is the price of its page. */
export interface Sample {
  readonly features: readonly number[];
  readonly isPrice: boolean;
  /** How much the sample counts when a tree chooses a split. Above 0. */
  readonly weight: number;
}

export interface ForestOptions {
  /** The seed of the random choices. */
  readonly seed: number;
  /** The number of trees. */
  readonly trees: number;
  /** The maximum number of splits from the root of a tree to a leaf. */
  readonly depthMax: number;
  /** The least number of samples in a leaf. */
  readonly leafMin: number;
}

/** The maximum number of thresholds for one feature. */
const thresholdsMax = 63;
/** The number of decimal places of thresholds and shares. */
const digits = 3;

/**
 * One feature of all samples. The thresholds divide its values into numbered ranges: range 0 ends
 * at the first threshold. Each value is stored as the number of its range.
 */
interface Column {
  readonly thresholds: readonly number[];
  /** For each sample, the number of thresholds below its value. */
  readonly ranges: Uint8Array;
}

interface Growth {
  readonly samples: readonly Sample[];
  readonly columns: readonly Column[];
  readonly options: ForestOptions;
  /** Returns the next random number, from 0 to below 1. */
  readonly fraction: () => number;
  /** The nodes of the tree, in the form of `ForestTable`. */
  readonly nodes: number[];
}

interface Split {
  readonly feature: number;
  /** The number of the last range on the lower side. */
  readonly range: number;
  /** The sum of both sides' Gini impurities, each multiplied by half the weight of its side. */
  readonly impurity: number;
}

/**
 * Grows a random forest (Breiman 2001). Every tree uses a random sample of the samples, and every
 * node a random choice of the features. The same samples and options result in the same forest.
 * Returns the nodes of each tree, in the form of `ForestTable`.
 */
export function growTrees(
  samples: readonly Sample[],
  options: ForestOptions,
): ForestTable["trees"] {
  const fraction = seededGenerator(options.seed);
  const count = samples[0]?.features.length ?? 0;
  const columns = Array.from({ length: count }, (_, feature) => columnOf(samples, feature));
  return Array.from({ length: options.trees }, () => {
    const draw = samples.map(() => Math.floor(fraction() * samples.length));
    const nodes: number[] = [];
    grow(draw, 0, { samples, columns, options, fraction, nodes });
    return nodes;
  });
}

function columnOf(samples: readonly Sample[], feature: number): Column {
  const valueOf = (sample: Sample): number => sample.features[feature] ?? 0;
  const values = [...new Set(samples.map(valueOf))].toSorted((a, b) => a - b);
  const middles = values.slice(1).map((value, index) => round((value + (values[index] ?? 0)) / 2));
  const every = Math.ceil(middles.length / thresholdsMax);
  const thresholds = [...new Set(middles)].filter((_, index) => index % every === 0);
  const ranges = Uint8Array.from(samples, (sample) => {
    const value = valueOf(sample);
    const above = thresholds.findIndex((threshold) => value <= threshold);
    return above === -1 ? thresholds.length : above;
  });
  return { thresholds, ranges };
}

/**
 * Adds a node for the drawn samples, and all nodes below it. Returns the position of the node among
 * the nodes of the tree.
 * @param draw indexes of the drawn samples; an index can occur several times
 * @param depth number of splits above the node
 */
function grow(draw: readonly number[], depth: number, growth: Growth): number {
  const { nodes, options, columns } = growth;
  const at = nodes.length / 4;
  const share = shareOf(draw, growth);
  nodes.push(-1, round(share), 0, 0);
  const isDone = depth >= options.depthMax || draw.length < 2 * options.leafMin;
  const split = isDone || share === 0 || share === 1 ? undefined : bestSplit(draw, growth);
  const column = columns[split?.feature ?? 0];
  if (split === undefined || column === undefined) return at;
  const isLow = (index: number): boolean => (column.ranges[index] ?? 0) <= split.range;
  const low = grow(draw.filter(isLow), depth + 1, growth);
  const high = grow(
    draw.filter((index) => !isLow(index)),
    depth + 1,
    growth,
  );
  nodes.splice(at * 4, 4, split.feature, column.thresholds[split.range] ?? 0, low, high);
  return at;
}

function bestSplit(draw: readonly number[], growth: Growth): Split | undefined {
  let best: Split | undefined;
  for (const feature of drawFeatures(growth)) {
    const split = bestThreshold(draw, feature, growth);
    if (split !== undefined && split.impurity < (best?.impurity ?? Infinity)) best = split;
  }
  return best;
}

/**
 * Draws distinct features at random. For `n` features, draws the square root of `n`, rounded up,
 * plus one, but at most `n`.
 */
function drawFeatures({ columns, fraction }: Growth): number[] {
  const left = columns.map((_, feature) => feature);
  const wanted = Math.min(Math.ceil(Math.sqrt(columns.length)) + 1, columns.length);
  return Array.from({ length: wanted }, () =>
    left.splice(Math.floor(fraction() * left.length), 1),
  ).flat();
}

/**
 * Returns the threshold of a feature with the least Gini impurity of both sides together; undefined
 * if every threshold leaves too few samples on one side.
 */
function bestThreshold(
  draw: readonly number[],
  feature: number,
  { samples, columns, options: { leafMin } }: Growth,
): Split | undefined {
  const column = columns[feature];
  const sides = column === undefined ? [] : sidesOf(draw, column, samples);
  const high = emptySide();
  for (const side of sides) add(high, side, 1);
  const low = emptySide();
  let best: Split | undefined;
  for (const [range, side] of sides.slice(0, -1).entries()) {
    add(low, side, 1);
    add(high, side, -1);
    if (side.count === 0 || low.count < leafMin || high.count < leafMin) continue;
    const impurity = impurityOf(low) + impurityOf(high);
    if (impurity < (best?.impurity ?? Infinity)) best = { feature, range, impurity };
  }
  return best;
}

/** Returns the sums of the drawn samples for each range of a feature. */
function sidesOf(
  draw: readonly number[],
  { thresholds, ranges }: Column,
  samples: readonly Sample[],
): Side[] {
  const sides = Array.from({ length: thresholds.length + 1 }, emptySide);
  for (const index of draw) add(sides[ranges[index] ?? 0], sideOf(samples[index]), 1);
  return sides;
}

const sideOf = (sample: Sample | undefined): Side =>
  sample === undefined
    ? emptySide()
    : { count: 1, weight: sample.weight, right: sample.isPrice ? sample.weight : 0 };

/** Sums of the samples on one side of a threshold, or in one range of a feature. */
interface Side {
  count: number;
  weight: number;
  /** The weight of the samples that are prices. */
  right: number;
}

const emptySide = (): Side => ({ count: 0, weight: 0, right: 0 });

/** Adds the sums of the second side to the first, or subtracts them if `sign` is -1. */
function add(side: Side | undefined, { count, weight, right }: Side, sign: 1 | -1): void {
  if (side === undefined) return;
  side.count += sign * count;
  side.weight += sign * weight;
  side.right += sign * right;
}

const impurityOf = ({ weight, right }: Side): number =>
  weight <= 0 ? 0 : (right * (weight - right)) / weight;

function shareOf(draw: readonly number[], { samples }: Growth): number {
  const side = emptySide();
  for (const index of draw) add(side, sideOf(samples[index]), 1);
  return side.weight === 0 ? 0 : side.right / side.weight;
}

const round = (value: number): number => Number(value.toFixed(digits));
