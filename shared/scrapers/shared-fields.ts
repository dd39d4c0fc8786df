import type { ReadingKind } from "./catalogue.ts";

const productAndPulse: readonly ReadingKind[] = ["product", "pulse"];
/** The buy box is the listing's own, whichever offers are counted. */
const anyOffers: readonly ReadingKind[] = ["offers_used", "offers_new", "offers"];

/** Fields that reads of several kinds show, with these kinds from the least to the most telling. */
const kindsByField: ReadonlyMap<string, readonly ReadingKind[]> = new Map([
  ["newCount", productAndPulse],
  ["newMinPrice", productAndPulse],
  ["buyboxSeller", anyOffers],
  ["buyboxPrice", anyOffers],
]);

/**
 * The kinds of reads that show the same fact under a field's name as a read of `kind` does, that kind
 * among them. `lowestPrice` of new offers and of used ones, for instance, are two facts.
 */
export function kindsSharing(field: string, kind: ReadingKind): readonly ReadingKind[] {
  const kinds = kindsByField.get(field);
  return kinds?.includes(kind) === true ? kinds : [kind];
}
