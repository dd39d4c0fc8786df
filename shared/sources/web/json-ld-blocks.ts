import { jsonrepair } from "jsonrepair";

/** A longer block is no product's. */
const blockCharactersMax = 1024 * 1024;
/** Guessing at what was meant takes time, and a long block is mostly well formed. */
const repairCharactersMax = 100_000;
const blocksMax = 50;
/** How far back from its type the opening of a script element may be. */
const openingCharactersMax = 1_000;

/**
 * The JSON-LD of a page, parsed, without building the page: a scan for the script elements finds
 * the same blocks as a parser. What cannot be read is left out.
 */
export function jsonLdBlocks(html: string): object[] {
  const found: object[] = [];
  const marks = /application\/ld\+json/gi;
  for (let blocks = 0; blocks < blocksMax; blocks += 1) {
    const mark = marks.exec(html);
    if (mark === null) break;
    const start = startOfScript(html, mark.index);
    if (start === undefined) continue;
    const end = endOfScript(html, start);
    marks.lastIndex = end;
    const block = parseBlock(html.slice(start, end));
    if (block !== undefined) found.push(block);
  }
  return found;
}

/** Where the content begins of the script element whose opening holds `at`. */
function startOfScript(html: string, at: number): number | undefined {
  const before = html.slice(Math.max(0, at - openingCharactersMax), at);
  const opening = before.lastIndexOf("<");
  if (!/^<script\s[^>]*type\s*=\s*["']?\s*$/i.test(before.slice(Math.max(0, opening)))) {
    return undefined;
  }
  if (/<!--\s*$/.test(before.slice(0, opening))) return undefined;
  const close = html.indexOf(">", at);
  return close === -1 ? undefined : close + 1;
}

function endOfScript(html: string, start: number): number {
  const closing = /<\/script/gi;
  closing.lastIndex = start;
  return closing.exec(html)?.index ?? html.length;
}

/** Strict first, then without what people put around and into JSON, then repaired; never run. */
function parseBlock(block: string): object | undefined {
  if (block.length > blockCharactersMax) return undefined;
  const text = block.trim();
  return parsed(text) ?? parsed(cleaned(text)) ?? repaired(cleaned(text));
}

function parsed(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}

function repaired(text: string): object | undefined {
  if (text.length > repairCharactersMax || !/^[[{]/.test(text)) return undefined;
  try {
    return parsed(jsonrepair(text));
  } catch {
    return undefined;
  }
}

/** Without comment and CDATA marks, a closing semicolon, control characters, trailing commas. */
const cleaned = (text: string): string =>
  text
    .replace(/^[\s/*]*(?:<!--|<!\[CDATA\[)[\s/*]*/i, "")
    .replace(/(?:\/\/|\/\*)?\s?(?:-->|\]\]>)\s?(?:\*\/)?\s*$/, "")
    .trim()
    .replace(/;$/, "")
    // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
    .replaceAll(/[\u0000-\u001F\u007F]/g, " ")
    .replaceAll(/,\s*(?=[\]}])/g, "")
    .trim();
