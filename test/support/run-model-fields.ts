import type { ReadingKind, Snapshot } from "../../shared/scrapers/catalogue.ts";
import { priceFields } from "../../shared/scrapers/fields.ts";

export type Readings = Readonly<Partial<Record<ReadingKind, Snapshot>>>;
type Value = Snapshot[string];

/** Which reading is believed where two have the field, the last the most. */
const byTrust: readonly ReadingKind[] = [
  "offers_used",
  "offers_new",
  "offers",
  "offer_check",
  "standard",
  "product",
  "pulse",
];

/** Every reading in one; null before the first. */
export function everythingKnown(readings: Readings): Snapshot | null {
  const known = byTrust.filter((kind) => readings[kind] !== undefined);
  if (known.length === 0) return null;
  return Object.fromEntries(known.flatMap((kind) => Object.entries(readings[kind] ?? {})));
}

const prices = new Set<string>(priceFields);

/** Prices within half a cent are equal. */
export function isSame(field: string, a: Value, b: Value): boolean {
  if (prices.has(field) && typeof a === "number" && typeof b === "number") {
    return Math.abs(a - b) <= 0.005 + 1e-9;
  }
  return a === b;
}

/** What is stored: fields that were not seen stay, and so do prices that only drifted. */
export function refreshed(before: Snapshot | undefined, seen: Snapshot): Snapshot {
  const after: Record<string, Value> = { ...before };
  for (const [field, value] of Object.entries(seen)) {
    const old = before?.[field];
    after[field] = old !== undefined && isSame(field, old, value) ? old : value;
  }
  return after;
}
