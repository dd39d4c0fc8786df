import type { ReadingKind, Snapshot } from "../../shared/scrapers/catalogue.ts";
import { priceFields } from "../../shared/scrapers/fields.ts";

export type Readings = Readonly<Partial<Record<ReadingKind, Snapshot>>>;
type Value = Snapshot[string];

/** Reading kinds by increasing precedence, for fields that several have. */
const byTrust: readonly ReadingKind[] = [
  "offers_used",
  "offers_new",
  "offers",
  "offer_check",
  "standard",
  "product",
  "pulse",
];

/** Known values of an item: its readings, and newer values that some kinds of read have not seen. */
export interface Known {
  readonly readings: Readings;
  readonly newer: Newer;
}

/** The newest value of each field, and whether an event has reported it. */
export type Newer = Readonly<Record<string, { readonly value: Value; readonly reported: boolean }>>;

/** Reading kinds that show the same fact, by field. */
const sharedBy: Readonly<Record<string, readonly ReadingKind[]>> = {
  newCount: ["pulse", "product"],
  newMinPrice: ["pulse", "product"],
  buyboxSeller: ["offers", "offers_new", "offers_used"],
  buyboxPrice: ["offers", "offers_new", "offers_used"],
};

export const sharers = (field: string): readonly ReadingKind[] => sharedBy[field] ?? [];

/** Returns the newest values of all fields; null before the first read. */
export function everythingKnown({ readings, newer }: Known): Snapshot | null {
  const known = byTrust.filter((kind) => readings[kind] !== undefined);
  if (known.length === 0) return null;
  const values = Object.entries(newer).map(([field, { value }]) => [field, value] as const);
  const read = known.flatMap((kind) => Object.entries(readings[kind] ?? {}));
  return Object.fromEntries([...read, ...values]);
}

/** Returns the newest value of a field; undefined before the first read that has it. */
export function newest({ readings, newer }: Known, field: string, kind: ReadingKind) {
  const kinds = sharers(field);
  if (!kinds.includes(kind)) return readings[kind]?.[field];
  if (newer[field] !== undefined) return newer[field].value;
  const values = byTrust
    .filter((one) => kinds.includes(one))
    .map((one) => readings[one]?.[field])
    .filter((value) => value !== undefined);
  return values.at(-1);
}

const prices = new Set<string>(priceFields);

/** Compares two values of a field; prices within half a cent are equal. */
export function isSame(field: string, a: Value, b: Value): boolean {
  if (prices.has(field) && typeof a === "number" && typeof b === "number") {
    return Math.abs(a - b) <= 0.005 + 1e-9;
  }
  return a === b;
}

/** Updates a reading: unseen fields stay, and so do prices that changed by half a cent or less. */
export function refreshed(before: Snapshot | undefined, seen: Snapshot): Snapshot {
  const after: Record<string, Value> = { ...before };
  for (const [field, value] of Object.entries(seen)) {
    const old = before?.[field];
    after[field] = old !== undefined && isSame(field, old, value) ? old : value;
  }
  return after;
}
