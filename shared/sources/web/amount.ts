import { textBoundary } from "./text-boundary.ts";

/**
 * The highest accepted price, in units of its currency. A larger number probably consists of
 * several numbers without a separator.
 */
const amountMax = 1_000_000;
/**
 * Maximum difference between a price and whole cents. An amount with a larger difference is not a
 * price.
 */
const centTolerance = 0.000_5;

const blanks = " \u00A0\u2009\u202F";
/** Matches one number with an optional prefix and suffix. */
const oneNumber = new RegExp(
  String.raw`^([^\d.,−-]{0,20}?)(\d[\d.,'${blanks}]*)(?:[.,]?-{1,2})?\.?([^\d.,−-]{0,20}?)\.?$`,
  "u",
);
/** Matches a number whose groups of three digits are separated by blanks or apostrophes. */
const inThrees = new RegExp(String.raw`^\d{1,3}([${blanks}'])\d{3}(?:\1\d{3})*(?:[.,]\d*)?$`, "u");

/**
 * Words that may be next to a price. Any other word can mean that the amount is not the price of
 * one piece.
 */
const plainWords: ReadonlySet<string> = new Set([
  "price",
  "now",
  "only",
  "our",
  "sale",
  "each",
  "ea",
  "kr",
  "zł",
  "kč",
  "lei",
  "rs",
]);
const currencyCodes: ReadonlySet<string> = new Set(Intl.supportedValuesOf("currency"));
const currencySign = /^(?:[A-Z]{1,3}(?=\$))?[\p{Sc}--[¢￠]](?:[A-Z]{2,3})?$/v;
/** Matches a country code that is separated from its dollar sign by a space. */
const apartFromDollar = /(?<![A-Z])(US|CA|AU|NZ|HK|SG)\s+(?=\$)/gu;

/**
 * Parses an amount of money as people write it. Returns the amount in units of its currency, such
 * as dollars, rounded to hundredths. Returns undefined in these cases:
 * - The text is not clearly one amount.
 * - The amount exceeds 1,000,000 units.
 * - The amount differs from whole hundredths by 0.0005 or more.
 * - The amount is 0, which pages show for an unknown price.
 * @param currency ISO 4217 code; null if unknown. In US dollars, a comma always separates
 * thousands.
 */
export function amountOf(value: string | number, currency: string | null): number | undefined {
  if (typeof value === "string" && value.includes(textBoundary))
    return amountAmong(value, currency);
  const amount = typeof value === "number" ? value : numberIn(value.trim(), currency === "USD");
  if (amount === undefined || !Number.isFinite(amount)) return undefined;
  if (amount <= 0 || amount > amountMax) return undefined;
  const cents = Math.round(amount * 100) / 100;
  return cents > 0 && Math.abs(cents - amount) < centTolerance ? cents : undefined;
}

/**
 * Returns the amount in the texts of several elements. One element may have the dollars, and
 * another the cents. Returns undefined if there is no amount, if there are different amounts, or if
 * a string without digits restricts the price, such as "from".
 */
function amountAmong(value: string, currency: string | null): number | undefined {
  const all = value.split(textBoundary);
  const texts = all.filter((text) => /\d/.test(text));
  const others = all.filter((text) => !/\d/.test(text));
  if (!others.every(isPlain)) return undefined;
  const [whole = "", cents = ""] = texts;
  if (texts.length === 2 && /^[.,]\d{2}\D*$/.test(cents)) return amountOf(whole + cents, currency);
  const amounts = texts.map((text) => amountOf(text, currency));
  return new Set(amounts).size === 1 ? amounts[0] : undefined;
}

/**
 * Returns true if every word next to a number is allowed beside the price of one piece. Returns
 * false for words such as "from", "/lb" and "% off".
 */
const isPlain = (text: string): boolean =>
  text
    .replaceAll(apartFromDollar, "$1")
    .split(/[\s:]+/u)
    .filter((word) => word !== "")
    .every(
      (word) =>
        currencySign.test(word) || currencyCodes.has(word) || plainWords.has(word.toLowerCase()),
    );

/**
 * Parses the number in a price text; undefined if the text has no single number.
 * @param commasAreThousands true if a comma is never a decimal separator
 */
function numberIn(text: string, commasAreThousands: boolean): number | undefined {
  const written = digitsIn(text);
  if (written === undefined) return undefined;
  const decimal = decimalMark(written, commasAreThousands);
  if (decimal === undefined) return wellGrouped(written, "");
  const at = written.lastIndexOf(decimal);
  const fraction = written.slice(at + 1);
  if (!/^\d*$/.test(fraction)) return undefined;
  const whole = wellGrouped(written.slice(0, at), decimal);
  return whole === undefined ? undefined : Number(`${whole}.${fraction}`);
}

/**
 * Returns the digits, commas and dots of the number in a string with only a price, without blanks
 * and apostrophes. Returns undefined for any other string.
 */
function digitsIn(text: string): string | undefined {
  if (text.length > 40) return undefined;
  const [, before = "", digits = "", after = ""] = oneNumber.exec(text) ?? [];
  const number = digits.trim();
  if (number === "" || !isPlain(before) || !isPlain(after)) return undefined;
  // A blank or apostrophe that does not separate thousands means that there are two numbers.
  if (/['\s]/u.test(number) && !inThrees.test(number)) return undefined;
  return number.replaceAll(/['\s]/gu, "");
}

/**
 * Returns the decimal separator of a number; undefined if it has none. A single comma with three
 * digits after it separates thousands.
 * @param commasAreThousands true if a comma is never a decimal separator
 */
function decimalMark(written: string, commasAreThousands: boolean): "." | "," | undefined {
  const comma = written.lastIndexOf(",");
  const dot = written.lastIndexOf(".");
  if (commasAreThousands) return dot === -1 ? undefined : ".";
  if (comma !== -1 && dot !== -1) return comma > dot ? "," : ".";
  if (comma !== -1) return isThousands(written, ",") ? undefined : ",";
  // A single dot is a decimal separator, as in schema.org. Several dots separate thousands.
  return dot === -1 || written.indexOf(".") !== dot ? undefined : ".";
}

const isThousands = (written: string, mark: string): boolean =>
  written.split(mark).length > 2 || written.length - written.indexOf(mark) === 4;

/**
 * Converts the integer part of a number, which may contain group separators. Returns undefined if
 * the separators do not form groups of three digits.
 */
function wellGrouped(whole: string, decimal: string): number | undefined {
  if (/^\d+$/.test(whole)) return Number(whole);
  const [first = "", ...groups] = whole.split(/[.,]/);
  const isOneMark = new Set(whole.replaceAll(/\d/g, "")).size === 1;
  if (!isOneMark || (decimal !== "" && whole.includes(decimal))) return undefined;
  if (!/^\d{1,3}$/.test(first) || !groups.every((group) => /^\d{3}$/.test(group))) return undefined;
  return Number([first, ...groups].join(""));
}
