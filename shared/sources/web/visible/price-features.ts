import { type CartControl, isInOtherSection } from "./controls.ts";
import type { Outline, OutlineElement } from "./outline.ts";
import type { ShownAmount } from "./shown-amounts.ts";
import { surroundings } from "./surroundings.ts";
import {
  formerPriceNames,
  formerPriceTexts,
  openPriceTexts,
  partPriceNames,
  partPriceTexts,
  presentPriceNames,
  priceNames,
} from "./words.ts";

/** The parts of a page from which the features of its amounts are computed. */
export interface PricePage {
  readonly outline: Outline;
  readonly amounts: readonly ShownAmount[];
  readonly controls: readonly CartControl[];
  /** How often the scripts of the page name each amount as a price. */
  readonly scripted: ReadonlyMap<number, number>;
}

/** The names of the features, in the order of the values that `priceFeatures` returns. */
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
/** The value of a distance that is unknown or larger. */
const farthest = 12;
const stepsMax = 30;
const timesMax = 10;

/** What the features of an amount compare it with. */
interface Comparison extends PricePage {
  readonly ranks: ReadonlyMap<ShownAmount, number>;
  readonly distanceRanks: ReadonlyMap<ShownAmount, number>;
  readonly counts: ReadonlyMap<number, number>;
  readonly nameCounts: ReadonlyMap<string, number>;
  readonly groups: ReadonlyMap<OutlineElement, readonly ShownAmount[]>;
  readonly highest: number;
  /** How often scripts name the amount that they name most often. */
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
  return amounts.map((amount) =>
    wordFeatures(amount).concat(
      placeFeatures(amount, comparison),
      comparedFeatures(amount, comparison),
    ),
  );
}

/** Returns the features of the texts and names of an amount and around it. */
function wordFeatures(shown: ShownAmount): number[] {
  const { element, mark, before, after, isAttribute } = shown;
  const { parent } = element;
  const own = `${element.names} ${isAttribute ? before : ""}`;
  const near = `${own} ${parent?.names ?? ""}`;
  const wide = `${near} ${parent?.parent?.names ?? ""}`;
  const { left, right } = surroundings(shown);
  return [
    flag(mark !== ""),
    flag(isAttribute),
    flag(`${before}${after}`.trim() === ""),
    flag(priceNames.test(own)),
    flag(priceNames.test(wide)),
    flag(presentPriceNames.test(near)),
    flag(formerPriceNames.test(wide)),
    flag(partPriceNames.test(wide)),
    flag(element.isStruck),
    flag(formerPriceTexts.test(left)),
    flag(partPriceTexts.test(`${left} # ${right}`)),
    flag(openPriceTexts.test(left) || openPriceTexts.test(right)),
  ];
}

/** Returns the features of the place of an amount in the page. */
function placeFeatures(
  { element, amount }: ShownAmount,
  { outline, controls }: Comparison,
): number[] {
  const { heading } = outline;
  const control = nearest(element, controls);
  return [
    flag(isInOtherSection(element, outline)),
    flag(isWithin(element, (name) => name === "a")),
    flag(isWithin(element, (name) => name === "li")),
    flag(isWithin(element, (name) => name === "table" || name === "td")),
    flag(isWithin(element, (name) => emphasized.has(name), 2)),
    flag(!Number.isInteger(amount)),
    textDistance(element, heading),
    flag(heading !== undefined && element.index < heading.index),
    steps(element, heading),
    textDistance(element, control?.element),
    flag(control !== undefined && element.index < control.element.index),
    flag(control !== undefined),
    steps(element, control?.element),
  ];
}

/** Returns the features of an amount among the other amounts of the page. */
function comparedFeatures(shown: ShownAmount, comparison: Comparison): number[] {
  const { element, amount } = shown;
  const { amounts, ranks, counts, nameCounts, groups, highest, scripted } = comparison;
  const group = groups.get(groupOf(element)) ?? [];
  const inGroup = group.map((other) => other.amount);
  const times = scripted.get(amount) ?? 0;
  return [
    Math.min(ranks.get(shown) ?? stepsMax, stepsMax),
    (counts.get(amount) ?? 0) / amounts.length,
    Math.min(nameCounts.get(signOf(element)) ?? 0, stepsMax),
    flag(Math.min(...inGroup) === amount),
    flag(Math.max(...inGroup) === amount),
    Math.min(counts.size, stepsMax),
    amount / highest,
    Math.min(times, timesMax),
    flag(times > 0 && times === comparison.oftenest),
    comparison.distanceRanks.get(shown) ?? stepsMax,
    flag(group.some((other) => other.amount > amount && isFormer(other))),
  ];
}

/** Returns what elements of the same kind have in common. */
const signOf = ({ name, names }: OutlineElement): string => `${name} ${names}`;

const isFormer = ({ element }: ShownAmount): boolean =>
  element.isStruck || formerPriceNames.test(`${element.names} ${element.parent?.names ?? ""}`);

/** Returns the ranks of amounts by their distance from the heading, equal amounts counted once. */
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

function countsOf<Key>(keys: readonly Key[]): Map<Key, number> {
  const counts = new Map<Key, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** Returns the ancestor within which prices of one product are usually together. */
const groupOf = (element: OutlineElement): OutlineElement =>
  element.parent?.parent?.parent ?? element.parent?.parent ?? element.parent ?? element;

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

/** Returns the distance of two elements in the text, on a logarithmic scale. */
const textDistance = (element: OutlineElement, other: OutlineElement | undefined): number =>
  other === undefined
    ? farthest
    : Math.min(farthest, Math.log2(1 + Math.abs(element.textBefore - other.textBefore)));

/**
 * Returns the number of levels from an element up to its first ancestor that contains the other.
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
