import { invalidParam } from "../base/errors.ts";
import type { Platform } from "./catalogue.ts";

interface IdRule {
  /** Pattern of a trimmed ID. Its group is the ID itself. */
  readonly pattern: RegExp;
  /** Completes "… is not". */
  readonly expected: string;
}

/**
 * Formats of item IDs by platform (specification, section "Platforms and marketplaces"). Clients get
 * these patterns, so they use no flags and only syntax that all dialects support.
 */
const rules: Readonly<Record<Platform, IdRule>> = {
  retailer_a: {
    // Looked at before it is put into upper case, which turns other letters into these.
    pattern: /^([A-Za-z0-9]{10})$/,
    expected: "an ASIN: 10 letters or digits",
  },
  retailer_b: { pattern: /^([0-9]{5,15})$/, expected: "an item id: 5 to 15 digits" },
  retailer_c: {
    pattern: /^(?:[Aa]-)?([0-9]{6,10})$/,
    expected: "an item number: 6 to 10 digits",
  },
  retailer_d: { pattern: /^([0-9]{5,10})$/, expected: "a SKU: 5 to 10 digits" },
};

/** The pattern of a platform's item IDs, for clients. Its group is the ID. */
export const itemIdPattern = (platform: Platform): string => rules[platform].pattern.source;

/** Maximum length of a client's ID in an error message. */
const shownLengthMax = 40;

/**
 * Parses item IDs: normalised, unique, without empty strings, in the order of the request.
 * @throws 400 INVALID_PARAM with `param` = `<paramName>[<i>]`, the index in the request's array.
 */
export function parseItemIds(
  platform: Platform,
  rawIds: readonly string[],
  paramName: string,
): string[] {
  const ids = new Set<string>();
  for (const [index, raw] of rawIds.entries()) {
    if (raw.trim() === "") continue;
    ids.add(parseItemId(platform, raw, `${paramName}[${index}]`));
  }
  return [...ids];
}

/**
 * Parses an item ID and normalises it.
 * @throws 400 INVALID_PARAM with this `param`.
 */
export function parseItemId(platform: Platform, raw: string, param: string): string {
  const { pattern, expected } = rules[platform];
  const id = pattern.exec(raw.trim())?.[1];
  if (id !== undefined) return id.toUpperCase();
  const shown = JSON.stringify(raw.slice(0, shownLengthMax));
  throw invalidParam(param, `${shown} is not ${expected}.`);
}
