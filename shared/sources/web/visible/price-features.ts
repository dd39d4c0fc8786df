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

/** Returns the features of each amount of a page. */
export function priceFeatures({ outline, amounts, controls, scripted }: PricePage): number[][] {
  const { heading } = outline;
  const after = amounts.filter(({ element }) => element.index > (heading?.index ?? -1));
  const ranks = new Map(after.map((amount, rank) => [amount, rank]));
  const counts = countsOf(amounts.map(({ amount }) => amount));
  const nameCounts = countsOf(amounts.map(({ element }) => `${element.name} ${element.names}`));
  const others = new Map(
    amounts.map(({ element }) => [element, isInOtherSection(element, outline)]),
  );
  const main = amounts.filter(({ element }) => others.get(element) !== true);
  const highest = Math.max(...(main.length > 0 ? main : amounts).map(({ amount }) => amount));
  const groups = Map.groupBy(amounts, ({ element }) => groupOf(element));
  const oftenest = Math.max(0, ...amounts.map(({ amount }) => scripted.get(amount) ?? 0));
  const byDistance = ranksByDistance(main, heading);
  return amounts.map((one) => {
    const { element, amount, mark, before, after: behind, isAttribute } = one;
    const { parent } = element;
    const grandparent = parent?.parent;
    const own = `${element.names} ${isAttribute ? before : ""}`;
    const near = `${own} ${parent?.names ?? ""}`;
    const wide = `${near} ${grandparent?.names ?? ""}`;
    const { left, right } = surroundings(one);
    const control = nearest(element, controls);
    const group = groups.get(groupOf(element)) ?? [];
    const inGroup = group.map((other) => other.amount);
    return [
      flag(mark !== ""),
      flag(isAttribute),
      flag(`${before}${behind}`.trim() === ""),
      flag(priceNames.test(own)),
      flag(priceNames.test(wide)),
      flag(presentPriceNames.test(near)),
      flag(formerPriceNames.test(wide)),
      flag(partPriceNames.test(wide)),
      flag(element.isStruck),
      flag(formerPriceTexts.test(left)),
      flag(partPriceTexts.test(`${left} # ${right}`)),
      flag(openPriceTexts.test(left) || openPriceTexts.test(right)),
      flag(others.get(element) === true),
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
      Math.min(ranks.get(one) ?? stepsMax, stepsMax),
      (counts.get(amount) ?? 0) / amounts.length,
      Math.min(nameCounts.get(`${element.name} ${element.names}`) ?? 0, stepsMax),
      flag(Math.min(...inGroup) === amount),
      flag(Math.max(...inGroup) === amount),
      Math.min(counts.size, stepsMax),
      amount / highest,
      Math.min(scripted.get(amount) ?? 0, 10),
      flag((scripted.get(amount) ?? 0) > 0 && scripted.get(amount) === oftenest),
      byDistance.get(one) ?? stepsMax,
      flag(group.some((other) => other.amount > amount && isFormer(other))),
    ];
  });
}

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

/** Returns the number of levels from an element up to its first ancestor that contains the other. */
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
