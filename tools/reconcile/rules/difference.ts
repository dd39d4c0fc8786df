/** A stored value that contradicts other stored rows. */
export interface Difference {
  /** The name of the row, or of a value in it, with its IDs, such as `acct_… entry 7`. */
  readonly place: string;
  readonly field: string;
  readonly stored: unknown;
  /** The value that follows from the other rows. */
  readonly expected: unknown;
}

/**
 * Used in a difference in place of a value: the row is missing, or it is present although it must
 * not be.
 */
export const missing = "missing";
export const present = "present";

/** Returns a name that identifies a difference independently of its current values. */
export const differenceName = ({ place, field }: Difference): string => `${place}: ${field}`;

/**
 * Compares stored fields with the expected fields. Returns a difference for each unequal field.
 * Ignores stored fields that `expected` does not contain.
 */
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

/** Formats a difference as one line. */
export const differenceLine = (difference: Difference): string =>
  `${differenceName(difference)} is ${formatValue(difference.stored)}, should be ${formatValue(difference.expected)}`;

const formatValue = (value: unknown): string =>
  typeof value === "string" && /^[\w .:-]+$/.test(value) ? value : JSON.stringify(value);
