import type { ReadingKind, Snapshot } from "../../shared/scrapers/catalog.ts";
import { priceFields } from "../../shared/scrapers/fields.ts";

export type Readings = Readonly<Partial<Record<ReadingKind, Snapshot>>>;
type Value = Snapshot[string];

/**
 * The kinds of readings, the least trusted first. The value of a field is from the last of these
 * kinds that has the field.
 */
const byTrust: readonly ReadingKind[] = [
  "offers_used",
  "offers_new",
  "offers",
  "offer_check",
  "standard",
  "product",
  "pulse",
];

/** A price that a read of an item found. */
export interface KnownPrice {
  /** Time of the read in milliseconds since 1970. */
  readonly at: number;
  readonly price: Value;
}

/**
 * The known values of an item: the last reading of each kind, and newer values of fields that
 * several kinds share.
 */
export interface Known {
  readonly readings: Readings;
  readonly newer: Newer;
  /**
   * The price at each read that had one, oldest first. Emptied when the item is delisted; absent
   * before the first read.
   */
  readonly prices?: readonly KnownPrice[];
}

/** The newest value of each shared field, and whether an event has reported this value. */
export type Newer = Readonly<Record<string, { readonly value: Value; readonly reported: boolean }>>;

/** For each shared field, the kinds of readings that contain it. */
const sharedBy: Readonly<Record<string, readonly ReadingKind[]>> = {
  newCount: ["pulse", "product"],
  newMinPrice: ["pulse", "product"],
  buyboxSeller: ["offers", "offers_new", "offers_used"],
  buyboxPrice: ["offers", "offers_new", "offers_used"],
};

/**
 * Returns the reading kinds that show a shared field; an empty list for a field that only one kind
 * shows.
 */
export const sharers = (field: string): readonly ReadingKind[] => sharedBy[field] ?? [];

/** Returns the newest known values of all fields; null if the item has no reading. */
export function everythingKnown({ readings, newer }: Known): Snapshot | null {
  const known = byTrust.filter((kind) => readings[kind] !== undefined);
  if (known.length === 0) return null;
  const values = Object.entries(newer).map(([field, { value }]) => [field, value] as const);
  const read = known.flatMap((kind) => Object.entries(readings[kind] ?? {}));
  return Object.fromEntries([...read, ...values]);
}

/**
 * Returns the newest known value of a field; undefined if no read has shown it. If `kind` shares
 * the field with other kinds of reads, the value can be from any of these kinds. Otherwise it is
 * from the last reading of `kind`.
 */
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

/**
 * Returns true if two values of a field are equal. Prices that differ by at most half a cent are
 * equal.
 */
export function isSame(field: string, a: Value, b: Value): boolean {
  if (prices.has(field) && typeof a === "number" && typeof b === "number") {
    return Math.abs(a - b) <= 0.005 + 1e-9;
  }
  return a === b;
}

/**
 * Returns the reading `before`, updated with the values of `seen`. Fields that `seen` lacks keep
 * their values. Prices that changed by at most half a cent also keep their values.
 */
export function refreshed(before: Snapshot | undefined, seen: Snapshot): Snapshot {
  const after: Record<string, Value> = { ...before };
  for (const [field, value] of Object.entries(seen)) {
    const old = before?.[field];
    after[field] = old !== undefined && isSame(field, old, value) ? old : value;
  }
  return after;
}
