import { plainText } from "../plain-text.ts";
import { isInScript } from "./shows-amount.ts";
import { isTitled } from "./titles.ts";

/** Elements whose content is not shown as text. */
const unshown = /<(script|style|svg|noscript|template|iframe|select|textarea)(?=[\s/>])|<!--/gi;
const headings = /<h1(?=[\s/>])/gi;
const namedElements = /<[a-z][a-z\d]{0,10}\s[^<>]{0,300}itemprop\s?=\s?["']?name\b/gi;

/** Maximum numbers of characters to keep before and after the heading of the product. */
const beforeHeadingMax = 32_000;
const afterHeadingMax = 40_000;
/**
 * Maximum numbers of characters before and after the heading that are searched for text to keep.
 * They are larger than the numbers above, because they also count scripts, styles and comments.
 */
const beforeHeadingRawMax = 200_000;
const afterHeadingRawMax = 300_000;
/** The maximum length of a heading's HTML, in characters. The rest is ignored. */
const headingLengthMax = 600;
const headingsMax = 20;
/**
 * Matches long attributes, such as addresses and settings of scripts, and images. No reader needs
 * them.
 */
const unread = /\s(?!class|id|style)[\w:-]+="[^"<>]{40,}"|<(?:img|source|wbr|hr)\b[^<>]*>/g;

/**
 * Returns the part of a page that shows its product, without scripts, styles and comments. This is
 * the HTML around the heading of the product: the first heading that shares most of its words with
 * a title of the page, or otherwise the first heading. For a page without headings, this is the
 * start of the page. The result has at most `beforeHeadingMax` + `afterHeadingMax` characters.
 */
export function pageBody(html: string, titles: readonly string[]): string {
  const raw = firstHeading(html, titles) ?? beforeHeadingRawMax;
  const start = startOfText(html, Math.max(0, raw - beforeHeadingRawMax));
  const shown = withoutUnshown(html.slice(start, raw + afterHeadingRawMax));
  const heading = headingIn(shown, titles) ?? beforeHeadingMax;
  const before = shown
    .slice(Math.max(0, heading - 2 * beforeHeadingMax), heading)
    .replaceAll(unread, " ");
  const after = shown.slice(heading, heading + 2 * afterHeadingMax).replaceAll(unread, " ");
  const cut = Math.max(0, before.length - beforeHeadingMax);
  // The cut may be inside a tag. The rest of this tag must not be read as text.
  const tag = cut === 0 ? 0 : before.indexOf("<", cut);
  return (tag === -1 ? "" : before.slice(tag)) + after.slice(0, afterHeadingMax);
}

/** Returns the first position from `from` that is not in a script or style element. */
function startOfText(html: string, from: number): number {
  const body = Math.max(0, html.search(/<body(?=[\s/>])/i));
  if (from <= body) return body;
  if (!isInScript(html, from)) return from;
  const end = html.slice(from).search(/<\/(?:script|style)/i);
  return end === -1 ? html.length : from + end;
}

/** Returns the position of the product's heading; undefined if the page has no heading. */
const headingIn = (html: string, titles: readonly string[]): number | undefined =>
  firstHeading(html, titles) ??
  positionsOf(namedElements, html).find((index) => isTitled(textAt(html, index), titles));

/**
 * Returns the position of the first `<h1>` with a title of the page, or otherwise of the first
 * `<h1>`.
 */
function firstHeading(html: string, titles: readonly string[]): number | undefined {
  const positions = positionsOf(headings, html);
  return positions.find((index) => isTitled(textAt(html, index), titles)) ?? positions[0];
}

/** Returns the positions of the first 20 matches of a global expression. */
function positionsOf(expression: RegExp, html: string): number[] {
  const positions: number[] = [];
  expression.lastIndex = 0;
  while (positions.length < headingsMax) {
    const match = expression.exec(html);
    if (match === null) break;
    positions.push(match.index);
  }
  return positions;
}

/** Returns the text from a tag to the end of its heading. */
function textAt(html: string, index: number): string {
  const close = html.indexOf(">", index);
  if (close === -1) return "";
  const inside = html.slice(close + 1, close + 1 + headingLengthMax);
  const end = inside.search(/<\/(?:h1|div|span|p|strong|a)\b/i);
  return plainText(end === -1 ? inside : inside.slice(0, end));
}

/** Removes comments and the elements in `unshown`, and shortens white space. */
function withoutUnshown(html: string): string {
  const keptParts: string[] = [];
  let at = 0;
  for (;;) {
    unshown.lastIndex = at;
    const opening = unshown.exec(html);
    if (opening === null) break;
    keptParts.push(html.slice(at, opening.index));
    at = endOf(html, unshown.lastIndex, opening[1]);
  }
  keptParts.push(html.slice(at));
  return keptParts.join("").replaceAll(/[\t\n\f\r ]{2,}/g, " ");
}

/**
 * Returns the position after the element with this name, or after a comment if the name is
 * undefined.
 */
function endOf(html: string, start: number, name: string | undefined): number {
  if (name === undefined) {
    const end = html.indexOf("-->", start);
    return end === -1 ? html.length : end + 3;
  }
  const closing = closingOf(name.toLowerCase());
  closing.lastIndex = start;
  const end = closing.exec(html)?.index ?? html.length;
  const close = html.indexOf(">", end);
  return close === -1 ? html.length : close + 1;
}

const closings = new Map<string, RegExp>();

/** Returns the expression that matches the end tag of an element. Expressions are cached. */
function closingOf(name: string): RegExp {
  const closing = closings.get(name) ?? new RegExp(String.raw`</${name}(?=[\s/>])`, "gi");
  closings.set(name, closing);
  return closing;
}
