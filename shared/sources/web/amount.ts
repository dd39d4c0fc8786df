import { textBoundary } from "./text-boundary.ts";

/** Nothing on sale costs more; a larger number is several numbers run together. */
const amountMax = 1_000_000;
/** How far from whole cents an amount may be before it is no amount of money. */
const centTolerance = 0.000_5;

const blanks = " \u00A0\u2009\u202F";
/** One number, and what stands before and after it. */
const oneNumber = new RegExp(
  String.raw`^([^\d.,−-]{0,20}?)(\d[\d.,'${blanks}]*)(?:[.,]?-{1,2})?\.?([^\d.,−-]{0,20}?)\.?$`,
  "u",
);
/** Digits in threes, which blanks or apostrophes divide. */
const inThrees = new RegExp(String.raw`^\d{1,3}([${blanks}'])\d{3}(?:\1\d{3})*(?:[.,]\d*)?$`, "u");

/** What may stand by the price of one piece. Whatever else does makes the amount another thing's. */
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
/** A country that stands apart from its dollar. */
const apartFromDollar = /(?<![A-Z])(US|CA|AU|NZ|HK|SG)\s+(?=\$)/gu;

/**
 * Reads an amount of money as people write it; undefined for 0, which pages say when they do not
 * know, and for whatever is not clearly one amount. Where the currency is US dollars a comma only
 * ever divides thousands.
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

/** The one amount that texts of several elements hold: whole and cents may stand apart. */
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

/** Whether words beside a number leave it the price of one piece: "from", "/lb", "% off" do not. */
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

/** The one number of a text that says no more than a price, without the blanks within it. */
function digitsIn(text: string): string | undefined {
  if (text.length > 40) return undefined;
  const [, before = "", digits = "", after = ""] = oneNumber.exec(text) ?? [];
  const number = digits.trim();
  if (number === "" || !isPlain(before) || !isPlain(after)) return undefined;
  // A blank or an apostrophe divides thousands, or it divides two numbers.
  if (/['\s]/u.test(number) && !inThrees.test(number)) return undefined;
  return number.replaceAll(/['\s]/gu, "");
}

/** The separator before the decimals; undefined when there is none. */
function decimalMark(written: string, commasAreThousands: boolean): "." | "," | undefined {
  const comma = written.lastIndexOf(",");
  const dot = written.lastIndexOf(".");
  if (commasAreThousands) return dot === -1 ? undefined : ".";
  if (comma !== -1 && dot !== -1) return comma > dot ? "," : ".";
  if (comma !== -1) return isThousands(written, ",") ? undefined : ",";
  // A lone dot is the vocabulary's own decimal mark; several divide thousands.
  return dot === -1 || written.indexOf(".") !== dot ? undefined : ".";
}

const isThousands = (written: string, mark: string): boolean =>
  written.split(mark).length > 2 || written.length - written.indexOf(mark) === 4;

/** The whole part without its dividers, unless they stand where no thousands end. */
function wellGrouped(whole: string, decimal: string): number | undefined {
  if (/^\d+$/.test(whole)) return Number(whole);
  const [first = "", ...groups] = whole.split(/[.,]/);
  const isOneMark = new Set(whole.replaceAll(/\d/g, "")).size === 1;
  if (!isOneMark || (decimal !== "" && whole.includes(decimal))) return undefined;
  if (!/^\d{1,3}$/.test(first) || !groups.every((group) => /^\d{3}$/.test(group))) return undefined;
  return Number([first, ...groups].join(""));
}
