import type { ReadingKind } from "./catalogue.ts";

const productAndPulse: readonly ReadingKind[] = ["product", "pulse"];
/** Fields of the buy box, which is the same for all condition filters. */
const anyOffers: readonly ReadingKind[] = ["offers_used", "offers_new", "offers"];

/** Fields shared by several kinds of readings, with these kinds by increasing precedence. */
const kindsByField: ReadonlyMap<string, readonly ReadingKind[]> = new Map([
  ["newCount", productAndPulse],
  ["newMinPrice", productAndPulse],
  ["buyboxSeller", anyOffers],
  ["buyboxPrice", anyOffers],
]);

/**
 * The kinds of readings that share a field with `kind`, including `kind`. Fields of the same name are
 * not always shared: `lowestPrice` of new offers and of used offers are different facts.
 */
export function kindsSharing(field: string, kind: ReadingKind): readonly ReadingKind[] {
  const kinds = kindsByField.get(field);
  return kinds?.includes(kind) === true ? kinds : [kind];
}
