import { decodeHTMLStrict } from "entities/decode";

/**
 * Maximum length of the text in which tags are matched. The time for matching grows with the
 * length, so longer text is truncated.
 */
const htmlLengthMax = 4_000;
const lineEnd = /<(?:br|\/?(?:p|div|li|ul|ol|h[1-6]|tr|table))\b[^<>]*>/gi;
/** A letter must follow "<", so a lone "<" is not a tag. */
const tag = /<\/?[a-zA-Z][^<>]*>/g;
const unseen = /<(script|style)\b[^<>]*>[^]*?<\/\1\s*>|<!--[^]*?-->/gi;

/** Decodes HTML entities and returns the text as one line (see `plainLine`). */
export const lineOf = (text: string): string => plainLine(decodeHTMLStrict(text));

/**
 * Returns the non-empty paragraphs of a string that may be HTML, without tags. Uses only the first
 * 4,000 characters of `html`.
 */
export const paragraphsOf = (html: string): string[] =>
  html
    .slice(0, htmlLengthMax)
    .replaceAll(unseen, " ")
    .replaceAll(lineEnd, "\n")
    .split("\n")
    .map((line) => lineOf(line.replaceAll(tag, " ")))
    .filter((line) => line !== "");

/**
 * Characters that change the direction of the following text, so that it can appear in another
 * order.
 */
const directionMarks = /[\u202A-\u202E\u2066-\u2069]/g;

/**
 * Returns a string as one line: each sequence of white space and control characters becomes one
 * space. Removes characters that change the text direction. Does not decode HTML entities.
 */
export const plainLine = (text: string): string =>
  text
    .replaceAll(directionMarks, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
