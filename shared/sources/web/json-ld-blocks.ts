import { jsonObject, parseAlmostJson } from "./json-object.ts";
import { scriptsIn } from "./scripts.ts";

/**
 * Maximum length of a block that is parsed, in characters. Longer blocks do not describe products.
 */
const blockCharactersMax = 1024 * 1024;
/**
 * Maximum length of a block that is repaired, in characters. Repair is slow, and long blocks are
 * usually well formed.
 */
const repairCharactersMax = 100_000;
const blocksMax = 50;
const linkedDataType = /\stype\s*=\s*["']?\s*application\/ld\+json/i;

/**
 * Returns the parsed JSON-LD blocks of a page, at most 50. Omits blocks that cannot be parsed.
 */
export function jsonLdBlocks(html: string): object[] {
  const foundBlocks: object[] = [];
  let blocks = 0;
  for (const { attributes, content } of scriptsIn(html)) {
    if (!linkedDataType.test(attributes)) continue;
    blocks += 1;
    const block = parseBlock(content);
    if (block !== undefined) foundBlocks.push(block);
    if (blocks === blocksMax) break;
  }
  return foundBlocks;
}

/**
 * Parses a block as strict JSON, otherwise after removing common additions, otherwise after repair.
 * Never evaluates the text as code. Returns undefined if all three fail.
 */
function parseBlock(block: string): object | undefined {
  if (block.length > blockCharactersMax) return undefined;
  const text = block.trim();
  return jsonObject(text) ?? jsonObject(clean(text)) ?? repair(clean(text));
}

const repair = (text: string): object | undefined =>
  text.length > repairCharactersMax || !/^[[{]/.test(text) ? undefined : parseAlmostJson(text);

/**
 * Removes comment and CDATA marks, a semicolon at the end, control characters and trailing commas.
 */
const clean = (text: string): string =>
  text
    .replace(/^[\s/*]*(?:<!--|<!\[CDATA\[)[\s/*]*/i, "")
    .replace(/(?:\/\/|\/\*)?\s?(?:-->|\]\]>)\s?(?:\*\/)?\s*$/, "")
    .trim()
    .replace(/;$/, "")
    // oxlint-disable-next-line no-control-regex -- the expression replaces control characters
    .replaceAll(/[\u0000-\u001F\u007F]/g, " ")
    .replaceAll(/,\s*(?=[\]}])/g, "")
    .trim();
