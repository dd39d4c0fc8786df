import { jsonObject, parseAlmostJson } from "../json-object.ts";
import { type PageScript, scriptsIn } from "../scripts.ts";

/** A value that a page embeds for its own scripts. */
export type StateValue = object;

/**
 * The maximum number of values in one page, and the maximum length of each. Further and longer
 * values are ignored.
 */
const valuesMax = 60;
const valueCharactersMax = 2 * 1024 * 1024;
/** The maximum length of a literal to repair. Repair is slow. */
const repairCharactersMax = 20_000;
/** The maximum number of literals that are repaired in one page. */
const repairsMax = 8;

/**
 * Maximum number of literals without an end in a script. After one more, the rest of the script is
 * ignored, because the search for each end scans the whole rest, which is slow.
 */
const endlessMax = 5;

const jsonType =
  /\stype\s*=\s*["']?\s*(?:application\/(?!ld\+)(?:[\w.+-]*\+)?json|text\/x-magento-init)/i;
const otherType =
  /\stype\s*=\s*["']?\s*(?!(?:text|application)\/(?:javascript|ecmascript|x-javascript)|module)[\w/+.-]+/i;
/** Matches the start of an object or array that a script assigns to a name or passes to a call. */
const literalStart =
  /(?:[\w$\])]\s*=\s*|\b(?:push|track|gtag|fbq|parse)\s*\((?:\s*['"][\w .:-]{1,60}['"]\s*,){0,3}\s*)(?=[[{'"])/g;
/** Matches words for prices and stock. A value that contains none of them is not parsed. */
const useful = /price|stock|availab|currency|soldout|sold_out/i;

/**
 * Returns the values that the scripts of a page contain: JSON elements, and objects that a script
 * assigns to a global variable or passes to a data layer. Never runs a script.
 * @param isRelevant decides from the text of a value whether the value is parsed
 */
export function findEmbeddedValues(
  scripts: readonly PageScript[],
  isRelevant: (text: string) => boolean,
): StateValue[] {
  const foundValues: StateValue[] = [];
  let repairs = repairsMax;
  const add = (text: string): void => {
    if (foundValues.length >= valuesMax || text.length > valueCharactersMax) return;
    if (!useful.test(text) || !isRelevant(text)) return;
    let value = jsonObject(text);
    if (value === undefined && repairs > 0) {
      repairs -= 1;
      value = parseLiteral(text);
    }
    if (value !== undefined) foundValues.push(value);
  };
  for (const script of scripts) {
    for (const text of literalsIn(script)) add(text);
    if (foundValues.length >= valuesMax) break;
  }
  return foundValues;
}

/**
 * Returns the object or array that a script of the page assigns to a global variable, such as
 * `state` in `window.state = {…}`. Returns undefined if no script assigns an object or an array to
 * the variable. In each script, reads only the first assignment.
 */
export function findAssignedValue(html: string, name: string): StateValue | undefined {
  const escaped = name.replaceAll(/[.$]/g, String.raw`\$&`);
  const assignment = new RegExp(
    String.raw`(?<![\w$.])(?:window\.|self\.|globalThis\.)?${escaped}\s*=\s*(?:JSON\.parse\(\s*)?(?=[[{'"])`,
    "g",
  );
  for (const { content } of scriptsIn(html)) {
    assignment.lastIndex = 0;
    if (assignment.exec(content) === null) continue;
    const start = assignment.lastIndex;
    const literal = content.slice(start, endOfLiteral(content, start) ?? start);
    const [text = ""] = /^["']/.test(literal) ? quotedJson(literal) : [literal];
    const value = parseValue(text);
    if (value !== undefined) return value;
  }
  return undefined;
}

/**
 * Parses the text of an object or array, as JSON or otherwise as a JavaScript literal. Returns
 * undefined if both fail, or if the text has more than 2,097,152 characters.
 */
export const parseValue = (text: string): StateValue | undefined =>
  text.length > valueCharactersMax ? undefined : (jsonObject(text) ?? parseLiteral(text));

/**
 * Yields the texts of the values in a script: the whole content of a JSON element, otherwise each
 * object or array that the script assigns or passes to a call.
 */
function* literalsIn({ attributes, content }: PageScript): Generator<string> {
  if (jsonType.test(attributes)) {
    yield content.trim();
    return;
  }
  if (otherType.test(attributes) || !useful.test(content)) return;
  let endless = 0;
  const starts = new RegExp(literalStart);
  for (let match = starts.exec(content); match !== null; match = starts.exec(content)) {
    const start = starts.lastIndex;
    const end = endOfLiteral(content, start);
    if (end === undefined) {
      endless += 1;
      if (endless > endlessMax) return;
      continue;
    }
    const literal = content.slice(start, end);
    starts.lastIndex = end;
    yield* /^["']/.test(literal) ? quotedJson(literal) : [literal];
  }
}

/** Returns the JSON texts in a string literal, as `JSON.parse` would receive them. */
function quotedJson(literal: string): string[] {
  const body = literal.slice(1, -1);
  if (!/^\s*\\?[[{]/.test(body)) return [];
  const quoted = literal.startsWith("'")
    ? `"${body.replaceAll(String.raw`\'`, "'").replaceAll(/(?<!\\)"/g, String.raw`\"`)}"`
    : literal;
  try {
    const text: unknown = JSON.parse(quoted.replaceAll(/\\x([\da-f]{2})/gi, String.raw`\u00$1`));
    return typeof text === "string" ? [text] : [];
  } catch {
    return [];
  }
}

/**
 * Returns the position after a literal, according to its brackets and quotes; undefined if it does
 * not end.
 */
function endOfLiteral(content: string, start: number): number | undefined {
  const marks = /["'`]|[[{]|[\]}]/g;
  marks.lastIndex = start;
  let depth = 0;
  for (let mark = marks.exec(content); mark !== null; mark = marks.exec(content)) {
    const [sign] = mark;
    if (sign === '"' || sign === "'" || sign === "`") {
      const end = endOfString(content, marks.lastIndex, sign);
      if (end === undefined) return undefined;
      marks.lastIndex = end;
    } else depth += sign === "{" || sign === "[" ? 1 : -1;
    if (depth <= 0) return marks.lastIndex;
    if (marks.lastIndex - start > valueCharactersMax) return undefined;
  }
  return undefined;
}

/**
 * Returns the position after a string; undefined if it does not end.
 * @param start position after the opening quote
 */
function endOfString(content: string, start: number, quote: string): number | undefined {
  for (let at = start; ;) {
    const end = content.indexOf(quote, at);
    if (end === -1) return undefined;
    let escapes = 0;
    while (content[end - 1 - escapes] === "\\") escapes += 1;
    if (escapes % 2 === 0) return end + 1;
    at = end + 1;
  }
}

/** Parses an object literal of JavaScript, such as one with keys without quotes. */
const parseLiteral = (text: string): StateValue | undefined =>
  text.length > repairCharactersMax ? undefined : parseAlmostJson(text);
