/** Parses values in the encoding of the price history API. */
import * as v from "valibot";

/** An integer, or one as text. Negative values are codes such as "none". */
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

/** Means "no offer" or "no buy box". */
const none = -1;
/** Upper bound of any price, in the smallest unit of its currency. */
const minorMax = 100_000_000_000;
/** Currencies without a smaller unit. */
const wholeCurrencies: ReadonlySet<string> = new Set(["JPY"]);

/**
 * Converts from the smallest unit. -1 ("none") gives null; an absent, other negative or implausibly large
 * amount gives undefined.
 */
export function amountOf(
  minor: number | null | undefined,
  currency: string,
): number | null | undefined {
  if (minor === none) return null;
  if (minor === null || minor === undefined || minor < 0 || minor > minorMax) return undefined;
  return wholeCurrencies.has(currency) ? minor : minor / 100;
}

/** Returns an amount as `amountOf` does. A price of 0 means "unknown". */
export function priceOf(
  minor: number | null | undefined,
  currency: string,
): number | null | undefined {
  return minor === 0 ? undefined : amountOf(minor, currency);
}

const epochMinutes = 21_564_000;

/** Converts the API's minutes to a time, at most `now`. Returns `now` if the API reports none. */
export function momentOf(minutes: number | undefined, now: Date): Date {
  if (minutes === undefined || minutes <= 0) return now;
  return new Date(Math.min((minutes + epochMinutes) * 60_000, now.getTime()));
}
