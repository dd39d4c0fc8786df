import { textBoundary } from "./text-boundary.ts";

/** Upper bound of a price. A larger number is several numbers without a separator. */
const amountMax = 1_000_000;
/** The greatest difference from whole cents. An amount further away is not money. */
const centTolerance = 0.000_5;

const blanks = " \u00A0\u2009\u202F";
/** One number with its prefix and suffix. */
const oneNumber = new RegExp(
  String.raw`^([^\d.,−-]{0,20}?)(\d[\d.,'${blanks}]*)(?:[.,]?-{1,2})?\.?([^\d.,−-]{0,20}?)\.?$`,
  "u",
);
/** Digits in groups of three, separated by blanks or apostrophes. */
const inThrees = new RegExp(String.raw`^\d{1,3}([${blanks}'])\d{3}(?:\1\d{3})*(?:[.,]\d*)?$`, "u");

/**
 * Words allowed beside the price of one piece. With any other word, the amount is something else.
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
/** A country code separated by a space from its dollar sign. */
const apartFromDollar = /(?<![A-Z])(US|CA|AU|NZ|HK|SG)\s+(?=\$)/gu;

/**
 * Parses an amount of money in human notation.
 *
 * Returns undefined for 0, which pages show for an unknown price, and for any text that is not
 * clearly one amount. In US dollars, a comma always separates thousands.
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
 * Returns the only amount in the texts of several elements. Whole and cents may be in separate
 * elements.
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
 * Returns true if the words beside a number leave it the price of one piece. False for "from",
 * "/lb", "% off".
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
 * Returns the only number of a text that contains nothing but a price, without its inner blanks.
 */
function digitsIn(text: string): string | undefined {
  if (text.length > 40) return undefined;
  const [, before = "", digits = "", after = ""] = oneNumber.exec(text) ?? [];
  const number = digits.trim();
  if (number === "" || !isPlain(before) || !isPlain(after)) return undefined;
  // A blank or an apostrophe separates thousands, or else two numbers.
  if (/['\s]/u.test(number) && !inThrees.test(number)) return undefined;
  return number.replaceAll(/['\s]/gu, "");
}

/** Returns the decimal separator; undefined if there is none. */
function decimalMark(written: string, commasAreThousands: boolean): "." | "," | undefined {
  const comma = written.lastIndexOf(",");
  const dot = written.lastIndexOf(".");
  if (commasAreThousands) return dot === -1 ? undefined : ".";
  if (comma !== -1 && dot !== -1) return comma > dot ? "," : ".";
  if (comma !== -1) return isThousands(written, ",") ? undefined : ",";
  // A single dot is the decimal mark of schema.org; several dots separate thousands.
  return dot === -1 || written.indexOf(".") !== dot ? undefined : ".";
}

const isThousands = (written: string, mark: string): boolean =>
  written.split(mark).length > 2 || written.length - written.indexOf(mark) === 4;

/** Returns the whole part without group separators; undefined if they do not separate thousands. */
function wellGrouped(whole: string, decimal: string): number | undefined {
  if (/^\d+$/.test(whole)) return Number(whole);
  const [first = "", ...groups] = whole.split(/[.,]/);
  const isOneMark = new Set(whole.replaceAll(/\d/g, "")).size === 1;
  if (!isOneMark || (decimal !== "" && whole.includes(decimal))) return undefined;
  if (!/^\d{1,3}$/.test(first) || !groups.every((group) => /^\d{3}$/.test(group))) return undefined;
  return Number([first, ...groups].join(""));
}
