import { textBoundary } from "../text-boundary.ts";
import { type Outline, type OutlineElement, withAncestors } from "./outline.ts";
import { cartNames, cartTexts, otherSectionNames } from "./words.ts";

/** A control that adds the product of a page to a cart. */
export interface CartControl {
  readonly element: OutlineElement;
  readonly isEnabled: boolean;
}

const controlNames: ReadonlySet<string> = new Set(["button", "input", "a"]);
const sectionElements: ReadonlySet<string> = new Set(["footer", "nav", "header", "aside"]);
/** Matches names of elements that a script turns into buttons. */
const buttonNames = /btn|button|buy|cart|basket|order/i;
const textLengthMax = 40;
const attributesWithNames = [
  "name",
  "value",
  "action",
  "href",
  "title",
  "aria-label",
  "data-action",
  "onclick",
];
const disabledNames =
  /(?:^|[\s_-])(?:disabled|is-disabled|inactive|unavailable|sold-?out|out-?of-?stock)(?:$|[\s_-])/i;

/**
 * Returns the controls of a page, such as buttons, that add a product to a cart. Leaves out hidden
 * controls, and controls in sections about other products.
 */
export function cartControls(outline: Outline): CartControl[] {
  return outline.elements
    .filter((element) => !element.isHidden && isControl(element))
    .filter((element) => !isInOtherSection(element, outline))
    .map((element) => ({ element, isEnabled: isEnabled(element) }));
}

/**
 * Returns true if an element is in a section about other products: a part of the page whose element
 * name, or an attribute such as its class, suggests other products, and which does not contain the
 * heading of the product.
 */
export function isInOtherSection(element: OutlineElement, { aroundHeading }: Outline): boolean {
  for (const one of withAncestors(element)) {
    if (aroundHeading.has(one)) return false;
    if (sectionElements.has(one.name)) return true;
    if (one.name !== "body" && otherSectionNames.test(one.names)) return true;
  }
  return false;
}

/** Returns true if an element's text or attributes show that it adds the product to a cart. */
function isControl({ name, names, text, attributes }: OutlineElement): boolean {
  const isButton = controlNames.has(name) || attributes["role"] === "button";
  if (!isButton) return buttonNames.test(names) && cartTexts.test(text);
  if (name === "input" && !/^(?:submit|button|image)$/i.test(attributes["type"] ?? ""))
    return false;
  const shown = (name === "input" ? (attributes["value"] ?? "") : text).replaceAll(
    textBoundary,
    " ",
  );
  if (shown.length <= textLengthMax && cartTexts.test(shown)) return true;
  if (cartNames.test(names)) return true;
  return attributesWithNames.some((one) => cartNames.test((attributes[one] ?? "").slice(0, 200)));
}

const isEnabled = ({ names, attributes }: OutlineElement): boolean =>
  attributes["disabled"] === undefined &&
  attributes["aria-disabled"] !== "true" &&
  !disabledNames.test(names);
