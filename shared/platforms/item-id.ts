import { invalidParam } from "../base/errors.ts";
import type { Platform } from "./catalog.ts";

interface IdRule {
  /** Pattern of an ID without surrounding spaces. Its capturing group is the ID itself. */
  readonly pattern: RegExp;
  /** Description of the format. It completes the error message `'ids[0]' must be …`. */
  readonly expected: string;
}

/**
 * Formats of item IDs by platform (specification, section "Platforms and marketplaces"). API
 * responses contain these patterns, so they have no flags and use only syntax that all regex
 * dialects support.
 */
const rules: Readonly<Record<Platform, IdRule>> = {
  retailer_a: {
    // The pattern is matched before the conversion to upper case, which would convert some other
    // characters to these letters.
    pattern: /^([A-Za-z0-9]{10})$/,
    expected: "an ASIN of 10 letters or digits",
  },
  retailer_b: { pattern: /^([0-9]{5,15})$/, expected: "an item ID of 5 to 15 digits" },
  retailer_c: {
    pattern: /^(?:[Aa]-)?([0-9]{6,10})$/,
    expected: "an item number of 6 to 10 digits",
  },
  retailer_d: { pattern: /^([0-9]{5,10})$/, expected: "a SKU of 5 to 10 digits" },
};

/**
 * Returns the regular expression of a platform's item IDs, for API responses. The text that its
 * capturing group matches, in upper case, is the normalized ID.
 */
export const itemIdPattern = (platform: Platform): string => rules[platform].pattern.source;

/** Maximum number of characters of a client's ID that an error message repeats. */
const shownLengthMax = 40;

/**
 * Parses item IDs. Returns normalized, unique IDs in the order of the request. Skips empty strings.
 * @throws 400 INVALID_PARAM for the first invalid ID, with `param` = `<paramName>[<index in
 * rawIds>]`
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
 * Parses an item ID. Returns the normalized ID: trimmed, in upper case, and without a prefix that
 * the platform accepts, such as `A-`.
 * @throws 400 INVALID_PARAM, with this `param`, for an invalid ID
 */
export function parseItemId(platform: Platform, raw: string, param: string): string {
  const { pattern, expected } = rules[platform];
  const id = pattern.exec(raw.trim())?.[1];
  if (id !== undefined) return id.toUpperCase();
  const shown = JSON.stringify(raw.slice(0, shownLengthMax));
  throw invalidParam(param, `'${param}' must be ${expected} (got ${shown}).`);
}
