import { type CartControl, isInOtherSection } from "./controls.ts";
import type { Outline, OutlineElement } from "./outline.ts";
import type { ShownAmount } from "./shown-amounts.ts";
import { isFormerElement, textMarks } from "./text-marks.ts";
import { formerPriceNames, partPriceNames, presentPriceNames, priceNames } from "./words.ts";

/** The parts of a page from which the features of its amounts are calculated. */
export interface PricePage {
  readonly outline: Outline;
  readonly amounts: readonly ShownAmount[];
  readonly controls: readonly CartControl[];
  /** Number of times that the scripts of the page contain each amount as a price. */
  readonly scripted: ReadonlyMap<number, number>;
}

/**
 * Names of the features, in the order of the values that `priceFeatures` returns. The price forest
 * identifies a feature only by its position, so train it again after a change of this list.
 */
export const featureNames = [
  "hasMark",
  "isAttribute",
  "isWholeText",
  "isNamedPrice",
  "isParentNamedPrice",
  "isNamedPresent",
  "isNamedFormer",
  "isNamedPart",
  "isStruck",
  "isTextFormer",
  "isTextPart",
  "isTextOpen",
  "isInOtherSection",
  "isInLink",
  "isInList",
  "isInTable",
  "isEmphasized",
  "hasCents",
  "distanceToHeading",
  "isBeforeHeading",
  "stepsToHeading",
  "distanceToControl",
  "isBeforeControl",
  "hasControl",
  "stepsToControl",
  "rankAfterHeading",
  "shareOfSameAmount",
  "sameNames",
  "isLowestOfGroup",
  "isHighestOfGroup",
  "amounts",
  "shareOfHighest",
  "timesInScripts",
  "isOftenestInScripts",
  "rankByHeading",
  "hasHigherFormer",
] as const;
type FeatureName = (typeof featureNames)[number];

const emphasized: ReadonlySet<string> = new Set([
  "h1",
  "h2",
  "h3",
  "h4",
  "strong",
  "b",
  "big",
  "ins",
]);
/**
 * The highest value of a distance on the logarithmic scale, which is also the value of an unknown
 * distance.
 */
const farthest = 12;
const stepsMax = 30;
const timesMax = 10;

/** The data of all amounts of a page, with which the features compare one amount. */
interface Comparison extends PricePage {
  readonly ranks: ReadonlyMap<ShownAmount, number>;
  readonly distanceRanks: ReadonlyMap<ShownAmount, number>;
  readonly counts: ReadonlyMap<number, number>;
  readonly nameCounts: ReadonlyMap<string, number>;
  readonly groups: ReadonlyMap<OutlineElement, readonly ShownAmount[]>;
  readonly highest: number;
  /** The number of times that the scripts contain the amount that they contain most often. */
  readonly oftenest: number;
}

/**
 * Returns the inputs of the price forest for each amount of a page: one array of numbers for each
 * amount, in the order of `page.amounts`.
 */
export function priceFeatures(page: PricePage): number[][] {
  const { outline, amounts, scripted } = page;
  const after = amounts.filter(({ element }) => element.index > (outline.heading?.index ?? -1));
  const main = amounts.filter(({ element }) => !isInOtherSection(element, outline));
  const comparison: Comparison = {
    ...page,
    ranks: new Map(after.map((amount, rank) => [amount, rank])),
    distanceRanks: ranksByDistance(main, outline.heading),
    counts: countsOf(amounts.map(({ amount }) => amount)),
    nameCounts: countsOf(amounts.map(({ element }) => signOf(element))),
    groups: Map.groupBy(amounts, ({ element }) => groupOf(element)),
    highest: Math.max(...(main.length > 0 ? main : amounts).map(({ amount }) => amount)),
    oftenest: Math.max(0, ...amounts.map(({ amount }) => scripted.get(amount) ?? 0)),
  };
  return amounts.map((amount) => {
    const values = {
      ...wordFeatures(amount),
      ...placeFeatures(amount, comparison),
      ...comparedFeatures(amount, comparison),
    } satisfies Record<FeatureName, number>;
    return featureNames.map((name) => values[name]);
  });
}

/** Returns the features that depend on the words in and around an amount. */
function wordFeatures(shown: ShownAmount) {
  const { element, mark, before, after, isAttribute } = shown;
  const { parent } = element;
  const own = `${element.names} ${isAttribute ? before : ""}`;
  const near = `${own} ${parent?.names ?? ""}`;
  const wide = `${near} ${parent?.parent?.names ?? ""}`;
  const { isFormer, isPart, isOpen } = textMarks(shown);
  return {
    hasMark: flag(mark !== ""),
    isAttribute: flag(isAttribute),
    isWholeText: flag(`${before}${after}`.trim() === ""),
    isNamedPrice: flag(priceNames.test(own)),
    isParentNamedPrice: flag(priceNames.test(wide)),
    isNamedPresent: flag(presentPriceNames.test(near)),
    isNamedFormer: flag(formerPriceNames.test(wide)),
    isNamedPart: flag(partPriceNames.test(wide)),
    isStruck: flag(element.isStruck),
    isTextFormer: flag(isFormer),
    isTextPart: flag(isPart),
    isTextOpen: flag(isOpen),
  };
}

/** Returns the features that depend on the place of an amount in the page. */
function placeFeatures({ element, amount }: ShownAmount, { outline, controls }: Comparison) {
  const { heading } = outline;
  const control = nearest(element, controls);
  return {
    isInOtherSection: flag(isInOtherSection(element, outline)),
    isInLink: flag(isWithin(element, (name) => name === "a")),
    isInList: flag(isWithin(element, (name) => name === "li")),
    isInTable: flag(isWithin(element, (name) => name === "table" || name === "td")),
    isEmphasized: flag(isWithin(element, (name) => emphasized.has(name), 2)),
    hasCents: flag(!Number.isInteger(amount)),
    distanceToHeading: textDistance(element, heading),
    isBeforeHeading: flag(heading !== undefined && element.index < heading.index),
    stepsToHeading: steps(element, heading),
    distanceToControl: textDistance(element, control?.element),
    isBeforeControl: flag(control !== undefined && element.index < control.element.index),
    hasControl: flag(control !== undefined),
    stepsToControl: steps(element, control?.element),
  };
}

/** Returns the features that compare an amount with the other amounts of the page. */
function comparedFeatures(shown: ShownAmount, comparison: Comparison) {
  const { element, amount } = shown;
  const { amounts, ranks, counts, nameCounts, groups, highest, scripted } = comparison;
  const group = groups.get(groupOf(element)) ?? [];
  const inGroup = group.map((other) => other.amount);
  const times = scripted.get(amount) ?? 0;
  return {
    rankAfterHeading: Math.min(ranks.get(shown) ?? stepsMax, stepsMax),
    shareOfSameAmount: (counts.get(amount) ?? 0) / amounts.length,
    sameNames: Math.min(nameCounts.get(signOf(element)) ?? 0, stepsMax),
    isLowestOfGroup: flag(Math.min(...inGroup) === amount),
    isHighestOfGroup: flag(Math.max(...inGroup) === amount),
    amounts: Math.min(counts.size, stepsMax),
    shareOfHighest: amount / highest,
    timesInScripts: Math.min(times, timesMax),
    isOftenestInScripts: flag(times > 0 && times === comparison.oftenest),
    rankByHeading: comparison.distanceRanks.get(shown) ?? stepsMax,
    hasHigherFormer: flag(
      group.some((other) => other.amount > amount && isFormerElement(other.element)),
    ),
  };
}

/**
 * Returns the name and the classes of an element. Elements of the same kind have both in common.
 */
const signOf = ({ name, names }: OutlineElement): string => `${name} ${names}`;

/**
 * Returns the ranks of amounts by their distance from the heading. Equal amounts share one rank.
 */
function ranksByDistance(
  amounts: readonly ShownAmount[],
  heading: OutlineElement | undefined,
): Map<ShownAmount, number> {
  const near = amounts.toSorted(
    (a, b) => textDistance(a.element, heading) - textDistance(b.element, heading),
  );
  const different: number[] = [];
  return new Map(
    near.map((one) => {
      if (!different.includes(one.amount)) different.push(one.amount);
      return [one, Math.min(different.indexOf(one.amount), stepsMax)];
    }),
  );
}

const flag = (holds: boolean): number => (holds ? 1 : 0);

/** Counts how often each key occurs. */
function countsOf<Key>(keys: readonly Key[]): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Returns the ancestor within which prices of one product are usually together. */
const groupOf = (element: OutlineElement): OutlineElement =>
  element.parent?.parent?.parent ?? element.parent?.parent ?? element.parent ?? element;

/**
 * Returns true if the element, or one of its ancestors, has a matching name.
 * @param levels number of elements to check, the element included
 */
function isWithin(
  element: OutlineElement,
  isOne: (name: string) => boolean,
  levels = stepsMax,
): boolean {
  let one: OutlineElement | undefined = element;
  for (let level = 0; level < levels && one !== undefined; level += 1, one = one.parent) {
    if (isOne(one.name)) return true;
  }
  return false;
}

/**
 * Returns the distance of two elements in the text, on a logarithmic scale, at most `farthest`.
 * Returns `farthest` if `other` is undefined.
 */
const textDistance = (element: OutlineElement, other: OutlineElement | undefined): number =>
  other === undefined
    ? farthest
    : Math.min(farthest, Math.log2(1 + Math.abs(element.textBefore - other.textBefore)));

/**
 * Returns the number of levels from an element up to its first ancestor that contains `other`, at
 * most `stepsMax`. Returns `stepsMax` if `other` is undefined.
 */
function steps(element: OutlineElement, other: OutlineElement | undefined): number {
  if (other === undefined) return stepsMax;
  const ancestors = new Set<OutlineElement>();
  for (let one: OutlineElement | undefined = other; one !== undefined; one = one.parent) {
    ancestors.add(one);
  }
  let count = 0;
  for (let one: OutlineElement | undefined = element; one !== undefined; one = one.parent) {
    if (ancestors.has(one)) return Math.min(count, stepsMax);
    count += 1;
  }
  return stepsMax;
}

/** Returns the control that is nearest in document order; undefined if there is none. */
function nearest(
  element: OutlineElement,
  controls: readonly CartControl[],
): CartControl | undefined {
  let best: CartControl | undefined;
  const distance = (control: CartControl): number =>
    Math.abs(control.element.index - element.index);
  for (const control of controls) {
    if (best === undefined || distance(control) < distance(best)) best = control;
  }
  return best;
}
