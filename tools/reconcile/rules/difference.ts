/** A stored value that contradicts the rows from which it follows. */
export interface Difference {
  /** The row or a part of it, by its IDs, such as `acct_… entry 7`. */
  readonly place: string;
  readonly field: string;
  readonly stored: unknown;
  /** The value that the other rows require. */
  readonly expected: unknown;
}

/** Values for a row that is missing, or that should exist. */
export const missing = "missing";
export const present = "present";

/** Identifies a difference regardless of its current values. */
export const differenceName = ({ place, field }: Difference): string => `${place}: ${field}`;

/** Compares the fields of `expected` with the stored ones. Other stored fields are ignored. */
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

/** Returns a difference as one line. */
export const differenceLine = (difference: Difference): string =>
  `${differenceName(difference)} is ${shown(difference.stored)}, should be ${shown(difference.expected)}`;

const shown = (value: unknown): string =>
  typeof value === "string" && /^[\w .:-]+$/.test(value) ? value : JSON.stringify(value);
