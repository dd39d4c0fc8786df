/** How the history API writes values down. */
import * as v from "valibot";

/** A whole number or one as text; below 0 it says something about the value. */
export const signedWhole = v.fallback(
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

/** In place of a value of which there is none: no offer, no buy box. */
const none = -1;
/** Nothing on sale costs more, in the smallest unit of any currency. */
const minorMax = 100_000_000_000;
/** Currencies whose smallest unit is the whole. */
const wholeCurrencies: ReadonlySet<string> = new Set(["JPY"]);

/** An amount in the currency's units; null where there is none, undefined where it is not known. */
export function amountOf(
  minor: number | null | undefined,
  currency: string,
): number | null | undefined {
  if (minor === none) return null;
  if (minor === null || minor === undefined || minor < 0 || minor > minorMax) return undefined;
  return wholeCurrencies.has(currency) ? minor : minor / 100;
}

/** The same of what something is sold for. Nothing is sold for nothing: 0 is not known. */
export function priceOf(
  minor: number | null | undefined,
  currency: string,
): number | null | undefined {
  return minor === 0 ? undefined : amountOf(minor, currency);
}

const epochMinutes = 21_564_000;

/**
 * The moment that the API's minutes mean, and never one that is yet to come; `now` where it knows
 * none.
 */
export function momentOf(minutes: number | undefined, now: Date): Date {
  if (minutes === undefined || minutes <= 0) return now;
  return new Date(Math.min((minutes + epochMinutes) * 60_000, now.getTime()));
}
