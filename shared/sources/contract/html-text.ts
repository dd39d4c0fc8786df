import { decodeHTMLStrict } from "entities/decode";

/** A text is searched for pairs of tags, which takes the longer the more it may have. */
const htmlLengthMax = 4_000;
const lineEnd = /<(?:br|\/?(?:p|div|li|ul|ol|h[1-6]|tr|table))\b[^<>]*>/gi;
/** Only what starts as a tag does: a lone "<" in a text is none. */
const tag = /<\/?[a-zA-Z][^<>]*>/g;
const unseen = /<(script|style)\b[^<>]*>[^]*?<\/\1\s*>|<!--[^]*?-->/gi;

/** One line of what is escaped as in HTML: spaces joined, no control characters. */
export const lineOf = (text: string): string => plainLine(decodeHTMLStrict(text));

/** The paragraphs of a text that may be HTML, without its tags; none is empty. Long texts are cut. */
export const paragraphsOf = (html: string): string[] =>
  html
    .slice(0, htmlLengthMax)
    .replaceAll(unseen, " ")
    .replaceAll(lineEnd, "\n")
    .split("\n")
    .map((line) => lineOf(line.replaceAll(tag, " ")))
    .filter((line) => line !== "");

/** What turns the direction of the text around it, and may make it read as something else. */
const directionMarks = /[\u202A-\u202E\u2066-\u2069]/g;

/** One line of what stands for itself: spaces joined, no control characters. */
export const plainLine = (text: string): string =>
  text
    .replaceAll(directionMarks, "")
    .replaceAll(/[\s\p{Cc}]+/gu, " ")
    .trim();
