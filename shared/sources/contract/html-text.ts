import { decodeHTMLStrict } from "entities/decode";

/** Texts are cut to this length, because the time to find pairs of tags grows with the length. */
const htmlLengthMax = 4_000;
const lineEnd = /<(?:br|\/?(?:p|div|li|ul|ol|h[1-6]|tr|table))\b[^<>]*>/gi;
/** Requires a letter after "<", so a lone "<" is not a tag. */
const tag = /<\/?[a-zA-Z][^<>]*>/g;
const unseen = /<(script|style)\b[^<>]*>[^]*?<\/\1\s*>|<!--[^]*?-->/gi;

/** Returns HTML-escaped text as one line: spaces joined, no control characters. */
export const lineOf = (text: string): string => plainLine(decodeHTMLStrict(text));

/** Returns the non-empty paragraphs of a text that may be HTML, without tags. Cuts long texts. */
export const paragraphsOf = (html: string): string[] =>
  html
    .slice(0, htmlLengthMax)
    .replaceAll(unseen, " ")
    .replaceAll(lineEnd, "\n")
    .split("\n")
    .map((line) => lineOf(line.replaceAll(tag, " ")))
    .filter((line) => line !== "");

/**
 * Characters that change the direction of the surrounding text and can make it read differently.
 */
const directionMarks = /[\u202A-\u202E\u2066-\u2069]/g;

/** Returns unescaped text as one line: spaces joined, no control characters. */
export const plainLine = (text: string): string =>
  text
    .replaceAll(directionMarks, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
