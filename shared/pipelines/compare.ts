import type { FieldValue, Snapshot } from "../scrapers/catalog.ts";
import { priceFields } from "../scrapers/fields.ts";

/** Changed fields by name, with the value before and after. */
export type FieldChanges = Readonly<
  Record<string, { readonly before: FieldValue; readonly after: FieldValue }>
>;

const halfCent = 0.005;
/**
 * Tolerance for the rounding of binary fractions, so that prices that differ by exactly half a cent
 * count as equal.
 */
const tolerance = 1e-9;
const prices: ReadonlySet<string> = new Set(priceFields);

/**
 * Returns those of `fields` that changed between two reads of the same kind, with their values
 * before and after. A field that is absent in either read has not changed. A change from or to null
 * is a change. Prices that differ by at most half a cent are equal.
 */
export function changedFields(
  before: Snapshot,
  after: Snapshot,
  fields: readonly string[],
): FieldChanges {
  const changes: Record<string, { before: FieldValue; after: FieldValue }> = {};
  for (const field of fields) {
    const was = before[field];
    const is = after[field];
    if (was === undefined || is === undefined || areEqual(field, was, is)) continue;
    changes[field] = { before: was, after: is };
  }
  return changes;
}

/**
 * Returns true if two values of a field count as equal. Two prices are equal if they differ by at
 * most half a cent.
 */
export function areEqual(field: string, was: FieldValue, is: FieldValue): boolean {
  if (typeof was === "number" && typeof is === "number" && prices.has(field)) {
    return Math.abs(was - is) <= halfCent + tolerance;
  }
  return was === is;
}
