/** Something stored that does not agree with what it has to follow from. */
export interface Difference {
  /** The row or the part of it, by its ids, such as `acct_… entry 7`. */
  readonly place: string;
  readonly field: string;
  readonly stored: unknown;
  /** What it should be. */
  readonly expected: unknown;
}

/** Words for a row: that it is not there, or that it should be. */
export const missing = "missing";
export const present = "present";

/** Tells two differences apart, whatever their values are at the moment. */
export const differenceName = ({ place, field }: Difference): string => `${place}: ${field}`;

/** Those fields of `expected` that are stored otherwise; of `stored` only these are looked at. */
export function fieldDifferences(
  place: string,
  stored: Readonly<Record<string, unknown>>,
  expected: Readonly<Record<string, unknown>>,
): Difference[] {
  return Object.entries(expected)
    .filter(([field, value]) => stored[field] !== value)
    .map(([field, value]) => ({
      place,
      field,
      stored: stored[field] ?? null,
      expected: value,
    }));
}

/** A difference as one line of text. */
export const differenceLine = (difference: Difference): string =>
  `${differenceName(difference)} is ${shown(difference.stored)}, should be ${shown(difference.expected)}`;

const shown = (value: unknown): string =>
  typeof value === "string" && /^[\w .:-]+$/.test(value) ? value : JSON.stringify(value);
