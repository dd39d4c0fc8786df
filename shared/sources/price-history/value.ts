/** Parses values in the encoding of the price history API. */
import * as v from "valibot";

/** An integer, sent as a number or as text. Negative values are codes, such as -1 for "none". */
export const signedInteger = v.fallback(
  v.optional(
    v.pipe(
      v.union([
        v.number(),
        v.pipe(v.string(), v.trim(), v.regex(/^-?\d{1,12}$/), v.transform(Number)),
      ]),
      v.safeInteger(),
    ),
  ),
  undefined,
);

/** The code for "no offer" or "no buy box". */
const none = -1;
/**
 * The highest accepted price, in the smallest unit of its currency. Higher prices count as unknown.
 */
const minorMax = 100_000_000_000;
/** Currencies that have no smaller unit such as the cent. */
const wholeCurrencies: ReadonlySet<string> = new Set(["JPY"]);

/**
 * Converts an amount from the currency's smallest unit to its main unit. Returns null if the source
 * reports "none" (-1), and undefined for a missing, negative or too large amount.
 */
export function amountOf(
  minor: number | null | undefined,
  currency: string,
): number | null | undefined {
  if (minor === none) return null;
  if (minor === null || minor === undefined || minor < 0 || minor > minorMax) return undefined;
  return wholeCurrencies.has(currency) ? minor : minor / 100;
}

/**
 * Converts a price from the currency's smallest unit to its main unit. Returns null if the source
 * reports "none" (-1). Returns undefined for 0, which means "unknown", and for a missing, negative
 * or too large price.
 */
export function priceOf(
  minor: number | null | undefined,
  currency: string,
): number | null | undefined {
  return minor === 0 ? undefined : amountOf(minor, currency);
}

const epochMinutes = 21_564_000;

/**
 * Converts a time of the API, in minutes since the API's epoch, to a date. Returns `now` for a
 * missing time, for 0 or less, and for a time later than `now`.
 */
export function momentOf(minutes: number | undefined, now: Date): Date {
  if (minutes === undefined || minutes <= 0) return now;
  return new Date(Math.min((minutes + epochMinutes) * 60_000, now.getTime()));
}
