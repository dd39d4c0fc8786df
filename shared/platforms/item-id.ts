import { invalidParam } from "../base/errors.ts";
import type { Platform } from "./catalogue.ts";

interface IdRule {
  /** Takes away what may stand around an id. */
  readonly strip: (raw: string) => string;
  readonly pattern: RegExp;
  /** Completes "… is not". */
  readonly expected: string;
}

const trim = (raw: string): string => raw.trim();

/** Item ids by platform (specification, section "Platforms and marketplaces"). */
const rules: Readonly<Record<Platform, IdRule>> = {
  retailer_a: {
    strip: trim,
    // Looked at before it is put into upper case, which turns other letters into these.
    pattern: /^[A-Z0-9]{10}$/i,
    expected: "an ASIN: 10 letters or digits",
  },
  retailer_b: { strip: trim, pattern: /^\d{5,15}$/, expected: "an item id: 5 to 15 digits" },
  retailer_c: {
    strip: (raw) => raw.trim().replace(/^A-/i, ""),
    pattern: /^\d{6,10}$/,
    expected: "an item number: 6 to 10 digits",
  },
  retailer_d: { strip: trim, pattern: /^\d{5,10}$/, expected: "a SKU: 5 to 10 digits" },
};

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
  const { strip, pattern, expected } = rules[platform];
  const id = strip(raw);
  if (pattern.test(id)) return id.toUpperCase();
  const shown = JSON.stringify(raw.slice(0, shownLengthMax));
  throw invalidParam(param, `${shown} is not ${expected}.`);
}
