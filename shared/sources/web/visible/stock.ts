import type { AvailabilityWord } from "../availability-word.ts";
import { textBoundary } from "../text-boundary.ts";
import { type CartControl, isInOtherSection } from "./controls.ts";
import { type Outline, type OutlineElement, withAncestors } from "./outline.ts";
import { inStockTexts, otherSubjectTexts, outOfStockTexts } from "./words.ts";

/** Maximum length of a phrase. A longer text is not only about the stock of the product. */
const phraseLengthMax = 80;
/** The distance from the heading, in characters of text, beyond which phrases are ignored. */
const distanceMax = 6_000;
/** Matches classes and IDs of elements that state the stock of one size or color. */
const optionNames =
  /(?:size|colou?r)[-_]?(?:select|chip|item|list|button|picker|box)|variant|variation|swatch|option|store|shop-?finder|pickup|filter|facet|question|faq/i;
const inStockNames = /(?:^|[\s_-])(?:in-?stock|instock|is-?available)(?:$|[\s_-])/i;
const outOfStockNames = /(?:^|[\s_-])(?:out-?of-?stock|outofstock|sold-?out|soldout)(?:$|[\s_-])/i;

/**
 * Returns the availability that a page shows, from phrases such as "In stock" near the heading of
 * the product, and from the controls that add the product to a cart. Returns undefined if neither
 * shows the availability, or if they contradict each other. Controls that are all disabled do not
 * show that the product is out of stock, but contradict "In stock".
 */
export function findAvailability(
  outline: Outline,
  controls: readonly CartControl[],
): AvailabilityWord | undefined {
  const phrases = stockPhrases(outline, controls);
  const isOut = phrases.includes("outofstock");
  const isIn = phrases.includes("instock");
  const canBuy = controls.some(({ isEnabled }) => isEnabled);
  if (isOut) return isIn || canBuy ? undefined : "outofstock";
  return canBuy || (isIn && controls.length === 0) ? "instock" : undefined;
}

/**
 * Returns the availabilities in phrases near the heading, outside cart controls and other sections.
 */
function stockPhrases(outline: Outline, controls: readonly CartControl[]): AvailabilityWord[] {
  const { elements, heading } = outline;
  // A control can contain the labels of all its states. A style sheet hides all labels but one, so
  // the text of a control does not show the stock.
  const labeled = new Set(controls.map(({ element }) => element));
  const foundWords: AvailabilityWord[] = [];
  const counted = new Set<OutlineElement>();
  for (const element of elements.toReversed()) {
    const { parent, text } = element;
    if (counted.has(element)) {
      if (parent !== undefined) counted.add(parent);
      continue;
    }
    const phrase =
      isShort(element) && isNear(element, heading)
        ? phraseOf(element, text.replaceAll(textBoundary, " "))
        : undefined;
    if (phrase === undefined) continue;
    if (parent !== undefined) counted.add(parent);
    if (isOption(element) || isInOtherSection(element, outline)) continue;
    if (!withAncestors(element).some((one) => labeled.has(one))) foundWords.push(phrase);
  }
  return foundWords;
}

const isShort = ({ text, isCut, isHidden }: OutlineElement): boolean =>
  !isHidden && !isCut && text !== "" && text.length <= phraseLengthMax;

const isNear = ({ textBefore }: OutlineElement, heading: OutlineElement | undefined): boolean =>
  Math.abs(textBefore - (heading?.textBefore ?? 0)) <= distanceMax;

/**
 * Returns the availability in a phrase or in the names of its element; undefined if there is none.
 */
function phraseOf({ names }: OutlineElement, text: string): AvailabilityWord | undefined {
  if (otherSubjectTexts.test(text)) return undefined;
  if (outOfStockTexts.test(text) || outOfStockNames.test(names)) return "outofstock";
  return inStockTexts.test(text) || inStockNames.test(names) ? "instock" : undefined;
}

const isOption = ({ name, names, parent }: OutlineElement): boolean =>
  name === "option" ||
  name === "label" ||
  optionNames.test(names) ||
  optionNames.test(parent?.names ?? "");
