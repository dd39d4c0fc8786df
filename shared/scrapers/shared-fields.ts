import type { ReadingKind } from "./catalog.ts";

const productAndPulse: readonly ReadingKind[] = ["product", "pulse"];
/** Kinds that share the fields of the buy box, which is the same for all condition filters. */
const anyOffers: readonly ReadingKind[] = ["offers_used", "offers_new", "offers"];

/** For each field that several kinds of readings contain: these kinds, by increasing precedence. */
const kindsByField: ReadonlyMap<string, readonly ReadingKind[]> = new Map([
  ["newCount", productAndPulse],
  ["newMinPrice", productAndPulse],
  ["buyboxSeller", anyOffers],
  ["buyboxPrice", anyOffers],
]);

/**
 * Returns the kinds of readings in which the field has the same meaning as in a reading of `kind`,
 * by increasing precedence. The result contains `kind` itself. A field with the same name does not
 * always have the same meaning: the `lowestPrice` of new offers differs from that of used offers.
 */
export function kindsSharing(field: string, kind: ReadingKind): readonly ReadingKind[] {
  const kinds = kindsByField.get(field);
  return kinds?.includes(kind) === true ? kinds : [kind];
}
