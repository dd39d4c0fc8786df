import { currencyIn } from "./currency-word.ts";

/** Matches a currency code that scripts, attributes or metadata of a page state. */
const statedCode =
  /currency(?:[-_]?(?:code|iso(?:code)?))?\\?["']?\s{0,3}(?:[:=]|content=|"\s+content=)\s{0,3}\\?["']([A-Z]{3})\b/gi;
const codesMax = 200;
const known: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
/** The currencies that are written with a plain dollar sign. */
const dollars: ReadonlySet<string> = new Set(["USD", "CAD", "AUD", "NZD", "SGD", "HKD", "MXN"]);

/**
 * Returns the known currency codes that follow a word like `currency` in the scripts, attributes or
 * metadata of a page. Ignores the visible text of the page, and reads at most `codesMax` matches.
 */
export function findCurrencies(html: string): ReadonlySet<string> {
  const codes = new Set<string>();
  let matches = 0;
  for (const [, code = ""] of html.matchAll(statedCode)) {
    if (known.has(code.toUpperCase())) codes.add(code.toUpperCase());
    matches += 1;
    if (matches === codesMax) break;
  }
  return codes;
}

/**
 * Returns the currency of an amount; undefined if it is ambiguous. A dollar sign means the currency
 * of the marketplace only if the page states no other currency, because several countries use the
 * sign. An amount without a sign is in the currency of the marketplace only if the page states
 * exactly this currency.
 * @param mark the currency sign or code beside the amount
 * @param wanted ISO 4217 code of the marketplace's currency; null if unknown
 * @param stated the currencies that the page states
 */
export function currencyOfAmount(
  mark: string,
  wanted: string | null,
  stated: ReadonlySet<string>,
): string | undefined {
  const code = currencyIn(mark);
  if (code !== undefined || wanted === null) return code;
  const isOnly = stated.size === 1 && stated.has(wanted);
  if (mark === "$")
    return dollars.has(wanted) && (isOnly || stated.size === 0) ? wanted : undefined;
  return mark === "" && isOnly ? wanted : undefined;
}
