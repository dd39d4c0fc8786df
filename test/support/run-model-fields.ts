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

/** What is known of an item: its readings, and newer values that not every kind of read has shown. */
export interface Known {
  readonly readings: Readings;
  readonly newer: Newer;
}

/** By field: the newest value, and whether an event has told of it. */
export type Newer = Readonly<Record<string, { readonly value: Value; readonly told: boolean }>>;

/** Kinds of reads that show one and the same fact, by its field. */
const sharedBy: Readonly<Record<string, readonly ReadingKind[]>> = {
  newCount: ["pulse", "product"],
  newMinPrice: ["pulse", "product"],
  buyboxSeller: ["offers", "offers_new", "offers_used"],
  buyboxPrice: ["offers", "offers_new", "offers_used"],
};

export const sharers = (field: string): readonly ReadingKind[] => sharedBy[field] ?? [];

/** Every newest value in one; null before the first read. */
export function everythingKnown({ readings, newer }: Known): Snapshot | null {
  const known = byTrust.filter((kind) => readings[kind] !== undefined);
  if (known.length === 0) return null;
  const values = Object.entries(newer).map(([field, { value }]) => [field, value] as const);
  const read = known.flatMap((kind) => Object.entries(readings[kind] ?? {}));
  return Object.fromEntries([...read, ...values]);
}

/** The newest value of a field of a kind of read; undefined before the first read that has it. */
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
