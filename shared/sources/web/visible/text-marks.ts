import { textBoundary } from "../text-boundary.ts";
import type { OutlineElement } from "./outline.ts";
import type { ShownAmount } from "./shown-amounts.ts";
import { formerPriceNames, formerPriceTexts, openPriceTexts, partPriceTexts } from "./words.ts";

/** The properties of an amount that the text around it indicates. */
interface TextMarks {
  /** True if the amount is a former price or a saved amount, not the current price. */
  readonly isFormer: boolean;
  /** True if the amount is the price of a part: an installment, or a price by weight or length. */
  readonly isPart: boolean;
  /** True if the amount is the lowest or highest of several prices. */
  readonly isOpen: boolean;
}

/**
 * Returns what the text around an amount, up to 40 characters on each side, indicates about the
 * amount: whether it is a former price, the price of a part, or one end of a range of prices.
 */
export function textMarks(shown: ShownAmount): TextMarks {
  const { left, right } = surroundings(shown);
  return {
    isFormer: formerPriceTexts.test(left),
    isPart: partPriceTexts.test(`${left} # ${right}`),
    isOpen: openPriceTexts.test(left) || openPriceTexts.test(right),
  };
}

/**
 * Returns true if an element shows a former price: the element is struck through, or an attribute
 * of the element or of its parent, such as the class, indicates a former price.
 */
export const isFormerElement = ({ isStruck, names, parent }: OutlineElement): boolean =>
  isStruck || formerPriceNames.test(`${names} ${parent?.names ?? ""}`);

const lengthMax = 40;

/**
 * Returns the text on both sides of an amount, at most 40 characters each. The text can be from
 * surrounding elements.
 */
function surroundings({ element, before, after, isAttribute }: ShownAmount): {
  readonly left: string;
  readonly right: string;
} {
  if (isAttribute) return { left: "", right: "" };
  let [left, right] = [before, after];
  let inner = element;
  for (let outer = element.parent; outer !== undefined && !outer.isCut; outer = outer.parent) {
    if (left.length + right.length > lengthMax) break;
    const at = outer.text.indexOf(inner.text);
    if (at === -1) break;
    left = `${outer.text.slice(0, at)} ${left}`;
    right = `${right} ${outer.text.slice(at + inner.text.length)}`;
    inner = outer;
  }
  return {
    left: addSpaces(left).trim().slice(-lengthMax),
    right: addSpaces(right).trim().slice(0, lengthMax),
  };
}

const addSpaces = (text: string): string => text.replaceAll(textBoundary, " ");
