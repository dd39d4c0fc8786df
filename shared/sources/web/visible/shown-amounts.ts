import { amountOf } from "../amount.ts";
import { textBoundary } from "../text-boundary.ts";
import type { Outline, OutlineElement } from "./outline.ts";
import { currencyMarks, priceNames } from "./words.ts";

/** An amount that a page shows and that may be the price of its product. */
export interface ShownAmount {
  readonly element: OutlineElement;
  readonly amount: number;
  /** The sign, abbreviation or code of the currency beside the amount; empty if there is none. */
  readonly mark: string;
  /** The part of the element's text that precedes the amount. */
  readonly before: string;
  /** The part of the element's text that follows the amount. */
  readonly after: string;
  /** True if the amount is in an attribute, not in the text. */
  readonly isAttribute: boolean;
}

/** The maximum length of a text whose price may be split over several elements. */
const joinedLengthMax = 40;
/** The maximum number of amounts of one page. Further amounts are ignored. */
const amountsMax = 400;

const mark = `(?:${currencyMarks.source})`;
const blanks = " \u00A0\u2009\u202F";
const number = String.raw`\d{1,3}(?:[.,'${blanks}]\d{3})+(?:[.,]\d{1,2})?(?!\d)|\d+(?:[.,]\d{1,2})?(?![\d.,]\d)`;
const tail = String.raw`(?:[.,][-–—]{1,2})?`;
/** Matches an amount with a mark of its currency before or after it. */
const markedAmount = new RegExp(
  String.raw`(?<before>${mark})[\s${textBoundary}]*(?<first>${number})${tail}|` +
    String.raw`(?<![\d.,])(?<second>${number})${tail}[\s${textBoundary}]*(?<after>${mark})`,
  "gu",
);
/** Matches an amount whose whole part and cents are in different elements. */
const splitAmount = new RegExp(
  String.raw`(?<![\d.,])(\d{1,3}(?:[.,'${blanks}]?\d{3})*)[.,]?\s?${textBoundary}[.,]?${textBoundary}?(\d{2})(?![\d.,])`,
  "u",
);
const bareAmount = new RegExp(String.raw`^(?:${number})${tail}$`, "u");
const priceAttribute = /^(?:data-)?[a-z-]*(?:price|amount)[a-z-]*$/i;
const plainNumber = /^\d{1,7}(?:[.,]\d{1,4})?$/;

/**
 * Returns the amounts in the shown texts and attributes of a page, in document order, at most 400.
 * `currency` is an ISO 4217 code, or null if unknown.
 */
export function findShownAmounts({ elements }: Outline, currency: string | null): ShownAmount[] {
  const amountsByElement = new Map<OutlineElement, ShownAmount[]>();
  // Goes from the last element to the first, so that an element is processed after the elements
  // inside it.
  for (let index = elements.length - 1; index >= 0; index -= 1) {
    const element = elements[index];
    if (element === undefined || element.isHidden) continue;
    const within = amountsByElement.get(element) ?? [];
    const all = [...ownAmounts(element, within, currency), ...inAttributes(element)];
    amountsByElement.delete(element);
    if (all.length === 0) continue;
    const { parent } = element;
    const outer = parent ?? element;
    amountsByElement.set(outer, [...all, ...(amountsByElement.get(outer) ?? [])]);
  }
  return [...amountsByElement.values()].flat().slice(0, amountsMax);
}

/**
 * Returns the amounts of an element: those of the elements inside it, or else those in its own
 * text. If two inner elements show the whole part and the cents of one amount, returns that amount
 * instead of them.
 */
function ownAmounts(
  element: OutlineElement,
  within: readonly ShownAmount[],
  currency: string | null,
): readonly ShownAmount[] {
  const { text, isCut } = element;
  if (isCut || !/\d/.test(text)) return within;
  const isJoined = text.length <= joinedLengthMax && text.includes(textBoundary);
  const texts = within.filter(({ isAttribute }) => !isAttribute);
  if (texts.length > 0 && !isJoined) return within;
  const own = isJoined ? joinedAmount(element, currency) : undefined;
  if (own !== undefined) return [own, ...within.filter(({ isAttribute }) => isAttribute)];
  return texts.length > 0 ? within : [...textAmounts(element, currency), ...within];
}

/**
 * Returns the amount of an element in which one inner element shows the whole part and another one
 * the cents. Returns undefined for any other element.
 */
function joinedAmount(element: OutlineElement, currency: string | null): ShownAmount | undefined {
  const split = splitAmount.exec(element.text);
  if (split === null) return undefined;
  const [match, whole = "", cents = ""] = split;
  const amount = amountOf(`${whole.replaceAll(/\D/g, "")}.${cents}`, currency);
  const beside = element.text.replace(match, " ");
  const sign = currencyMarks.exec(beside)?.[0];
  if (amount === undefined || sign === undefined || /\d/.test(beside)) return undefined;
  return {
    ...beforeAndAfter(element.text, split),
    element,
    amount,
    mark: sign,
    isAttribute: false,
  };
}

/**
 * Returns the amounts in the text of an element: those with a currency mark, or a single number in
 * an element that is named as a price.
 */
function textAmounts(element: OutlineElement, currency: string | null): ShownAmount[] {
  const amounts: ShownAmount[] = [];
  const { text } = element;
  for (const match of text.matchAll(markedAmount)) {
    const { before, first, second, after } = match.groups ?? {};
    const amount = amountOf(first ?? second ?? "", currency);
    if (amount === undefined) continue;
    const sides = beforeAndAfter(text, match);
    amounts.push({ ...sides, element, amount, mark: before ?? after ?? "", isAttribute: false });
  }
  if (amounts.length > 0 || !bareAmount.test(text) || !isNamedPrice(element)) return amounts;
  const amount = amountOf(text.replace(/[-–—.,]+$/, ""), currency);
  if (amount === undefined) return amounts;
  return [{ element, amount, mark: "", before: "", after: "", isAttribute: false }];
}

const isNamedPrice = ({ names, parent }: OutlineElement): boolean =>
  priceNames.test(names) || priceNames.test(parent?.names ?? "");

/**
 * Returns the amount in the first attribute that is named as a price; an empty array if there is
 * none.
 */
function inAttributes(element: OutlineElement): ShownAmount[] {
  for (const [name, value] of Object.entries(element.attributes)) {
    if (!priceAttribute.test(name) || !plainNumber.test(value)) continue;
    const amount = amountOf(Number(value.replace(",", ".")).toFixed(2), null);
    if (amount === undefined) continue;
    return [{ element, amount, mark: "", before: name, after: "", isAttribute: true }];
  }
  return [];
}

const beforeAndAfter = (
  text: string,
  { index, 0: match }: RegExpExecArray | RegExpMatchArray,
): Pick<ShownAmount, "before" | "after"> => ({
  before: text.slice(0, index ?? 0),
  after: text.slice((index ?? 0) + match.length),
});
