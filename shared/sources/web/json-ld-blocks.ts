import { jsonrepair } from "jsonrepair";

/**
 * The maximum length of a block to parse, in characters. Longer blocks do not describe products.
 */
const blockCharactersMax = 1024 * 1024;
/**
 * The maximum length of a block to repair, in characters. Repair is slow, and long blocks are
 * usually well formed.
 */
const repairCharactersMax = 100_000;
const blocksMax = 50;
/** The maximum length of the opening tag of a script element. */
const openingCharactersMax = 4_000;
const linkedDataType = /\stype\s*=\s*["']?\s*application\/ld\+json/i;

/**
 * Returns the parsed JSON-LD blocks of a page, at most 50. Scans for script elements outside
 * comments: this finds the same blocks as an HTML parser and is faster. Omits blocks that cannot be
 * parsed.
 */
export function jsonLdBlocks(html: string): object[] {
  const found: object[] = [];
  const marks = /<!--|<script(?=[\s/>])/gi;
  for (let blocks = 0; blocks < blocksMax;) {
    const mark = marks.exec(html);
    if (mark === null) break;
    const isComment = mark[0] === "<!--";
    const start = isComment ? mark.index + 2 : marks.lastIndex;
    const end = isComment ? endOfComment(html, start) : endOfScript(html, start);
    marks.lastIndex = end;
    const content = isComment ? undefined : linkedDataIn(html, start, end);
    if (content === undefined) continue;
    blocks += 1;
    const block = parseBlock(content);
    if (block !== undefined) found.push(block);
  }
  return found;
}

/**
 * Returns the content of a script element if its type is JSON-LD, otherwise undefined. `start` is
 * the position after the element's name, and `end` the position of its closing tag.
 */
function linkedDataIn(html: string, start: number, end: number): string | undefined {
  const close = html.slice(start, Math.min(end, start + openingCharactersMax)).indexOf(">");
  if (close === -1) return undefined;
  const isLinkedData = linkedDataType.test(html.slice(start, start + close));
  return isLinkedData ? html.slice(start + close + 1, end) : undefined;
}

/**
 * Returns the position after a comment. A comment without an end extends to the end of the page.
 */
function endOfComment(html: string, start: number): number {
  const end = html.indexOf("-->", start);
  return end === -1 ? html.length : end + 3;
}

function endOfScript(html: string, start: number): number {
  const closing = /<\/script/gi;
  closing.lastIndex = start;
  return closing.exec(html)?.index ?? html.length;
}

/**
 * Parses a block as strict JSON, or else after removal of common additions, or else after repair.
 * Never evaluates the text as code. Returns undefined if all fail.
 */
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

/**
 * Removes comment and CDATA marks, a semicolon at the end, control characters and trailing commas.
 */
const cleaned = (text: string): string =>
  text
    .replace(/^[\s/*]*(?:<!--|<!\[CDATA\[)[\s/*]*/i, "")
    .replace(/(?:\/\/|\/\*)?\s?(?:-->|\]\]>)\s?(?:\*\/)?\s*$/, "")
    .trim()
    .replace(/;$/, "")
    // oxlint-disable-next-line no-control-regex -- the expression replaces control characters
    .replaceAll(/[\u0000-\u001F\u007F]/g, " ")
    .replaceAll(/,\s*(?=[\]}])/g, "")
    .trim();
