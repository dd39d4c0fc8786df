import { invalidParam } from "../base/errors.ts";
import type { Platform } from "./catalogue.ts";

interface IdRule {
  /** What an id looks like when blanks around it are taken away; its group is the id itself. */
  readonly pattern: RegExp;
  /** Completes "… is not". */
  readonly expected: string;
}

/**
 * Item ids by platform (specification, section "Platforms and marketplaces"). Clients get the
 * patterns too, so they are written without flags, in what every dialect understands.
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

/** What ids of a platform look like, for clients: a regular expression whose group is the id. */
export const idPattern = (platform: Platform): string => rules[platform].pattern.source;

/** As much of a client's id as a message repeats. */
const shownLengthMax = 40;

/**
 * The ids to read: normalised, empty strings left out, each once, in the order they were sent.
 * @throws 400 INVALID_PARAM with `param` = `<paramName>[<i>]`, counted in the array as it was sent.
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
 * One id, in the one spelling that is stored, read and answered.
 * @throws 400 INVALID_PARAM with that `param`.
 */
export function parseItemId(platform: Platform, raw: string, param: string): string {
  const { pattern, expected } = rules[platform];
  const id = pattern.exec(raw.trim())?.[1];
  if (id !== undefined) return id.toUpperCase();
  const shown = JSON.stringify(raw.slice(0, shownLengthMax));
  throw invalidParam(param, `${shown} is not ${expected}.`);
}
