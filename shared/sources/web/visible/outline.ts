import { Parser } from "htmlparser2";
import { textBoundary } from "../text-boundary.ts";
import { isTitled } from "./titles.ts";

/** An element of a page, with the data that the readers of visible text need. */
export interface OutlineElement {
  /** The position among all elements of the page. */
  readonly index: number;
  readonly name: string;
  /** The class, the ID and other naming attributes, joined by spaces. */
  readonly names: string;
  readonly parent: OutlineElement | undefined;
  readonly depth: number;
  /** True if the element or an ancestor is hidden. */
  readonly isHidden: boolean;
  /** True if the element or an ancestor is struck out. */
  readonly isStruck: boolean;
  readonly attributes: Readonly<Record<string, string>>;
  /** The length of the visible text before the element. */
  readonly textBefore: number;
  /**
   * The text in the element, at most `textLengthMax` characters. `textBoundary` separates the texts
   * of different elements.
   */
  text: string;
  /** True if `text` is not the whole text. */
  isCut: boolean;
}

/** The elements of a page (at most `elementsMax`) in document order, and its product heading. */
export interface Outline {
  readonly elements: readonly OutlineElement[];
  /**
   * The heading of the product: the first `<h1>` with a title of the page, or otherwise the first
   * `<h1>`.
   */
  readonly heading: OutlineElement | undefined;
  /** The heading and its ancestors; empty without a heading. */
  readonly aroundHeading: ReadonlySet<OutlineElement>;
  /** The length of the visible text of the page. */
  readonly textLength: number;
}

/** The maximum length of the text that is kept for an element. */
export const textLengthMax = 160;
/** Maximum number of elements. Later elements are ignored. */
const elementsMax = 20_000;
/** Maximum nesting depth. Deeper elements are ignored. */
const depthMax = 200;

const struckElements: ReadonlySet<string> = new Set(["del", "s", "strike"]);
const namingAttributes = ["class", "id", "itemprop", "data-testid", "data-test", "data-qa"];
const hiddenStyle = /display\s*:\s*none|visibility\s*:\s*hidden/i;
const hiddenClass = /(?:^|\s)(?:hidden|hide|d-none|is-hidden|visually-hidden-all|ng-hide)(?:\s|$)/i;
const struckStyle = /line-through/i;

/**
 * Parses HTML to an outline: its elements with their texts. Never throws.
 * @param titles the titles that the page states, which identify the heading of the product
 */
export function outlineOf(html: string, titles: readonly string[]): Outline {
  const elements: OutlineElement[] = [];
  const open: OutlineElement[] = [];
  let textLength = 0;
  const parser = new Parser({
    onopentag(name, attributes) {
      const parent = open.at(-1);
      if (parent !== undefined) addText(parent, textBoundary);
      const element = elementOf(name, attributes, { parent, index: elements.length, textLength });
      open.push(element);
      elements.push(element);
      if (elements.length >= elementsMax || open.length > depthMax) parser.pause();
    },
    ontext(text) {
      const element = open.at(-1);
      if (element === undefined) return;
      const shown = withSingleSpaces(text, element.text);
      if (shown === "") return;
      if (!element.isHidden) textLength += shown.length;
      addText(element, shown);
    },
    onclosetag() {
      const element = open.pop();
      const parent = open.at(-1);
      if (element === undefined) return;
      element.text = tidy(element.text);
      if (parent === undefined || element.isHidden) return;
      parent.isCut ||= element.isCut;
      addText(parent, element.text);
      addText(parent, textBoundary);
    },
  });
  parser.end(html);
  for (const element of open) element.text = tidy(element.text);
  const heading = headingOf(elements, titles);
  return { elements, heading, aroundHeading: new Set(withAncestors(heading)), textLength };
}

/** Returns the heading of the product (see `Outline.heading`). */
function headingOf(
  elements: readonly OutlineElement[],
  titles: readonly string[],
): OutlineElement | undefined {
  const headings = elements.filter(({ name, isHidden }) => name === "h1" && !isHidden);
  return headings.find(({ text }) => isTitled(text, titles)) ?? headings[0];
}

/**
 * Returns an element and its ancestors, starting with the element. Returns an empty array for
 * undefined.
 */
export function withAncestors(element: OutlineElement | undefined): OutlineElement[] {
  const all: OutlineElement[] = [];
  for (let one = element; one !== undefined; one = one.parent) all.push(one);
  return all;
}

interface Place {
  readonly parent: OutlineElement | undefined;
  readonly index: number;
  readonly textLength: number;
}

/** Creates an element without text. */
function elementOf(
  name: string,
  attributes: Readonly<Record<string, string>>,
  { parent, index, textLength }: Place,
): OutlineElement {
  const style = attributes["style"] ?? "";
  const classes = attributes["class"] ?? "";
  return {
    index,
    name,
    names: namingAttributes
      .map((attribute) => attributes[attribute])
      .filter((value) => value !== undefined)
      .join(" "),
    parent,
    depth: (parent?.depth ?? -1) + 1,
    isHidden:
      parent?.isHidden === true ||
      attributes["hidden"] !== undefined ||
      hiddenStyle.test(style) ||
      hiddenClass.test(classes),
    isStruck: parent?.isStruck === true || struckElements.has(name) || struckStyle.test(style),
    attributes,
    textBefore: textLength,
    text: "",
    isCut: false,
  };
}

/** Adds a string, or a boundary, to the text of an element. */
function addText(element: OutlineElement, text: string): void {
  if (element.isCut || (text === textBoundary && endsApart(element.text))) return;
  element.text += text;
  if (element.text.length <= textLengthMax) return;
  element.isCut = true;
  element.text = element.text.slice(0, textLengthMax);
}

/**
 * Returns true if a text that is added to the string does not directly follow another text: the
 * string is empty or ends at a boundary.
 */
const endsApart = (text: string): boolean => text === "" || text.endsWith(textBoundary);

/** Removes the spaces and the text boundary at the end of a string. */
const tidy = (text: string): string => {
  let end = text.length;
  while (end > 0 && (text[end - 1] === " " || text[end - 1] === textBoundary)) end -= 1;
  return end === text.length ? text : text.slice(0, end);
};

const spaces = /[\t\n\f\r ]+/g;

/**
 * Returns a string with single spaces, without a leading space that `before` makes unnecessary.
 * Keeps other white space, which can be part of a number.
 */
function withSingleSpaces(text: string, before: string): string {
  const single = text.replaceAll(spaces, " ");
  return single.startsWith(" ") && (endsApart(before) || before.endsWith(" "))
    ? single.slice(1)
    : single;
}
