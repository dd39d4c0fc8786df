import type { Changed } from "../base/after-change.ts";
import { type ItemDetails } from "./item-details.ts";
import {
  compareIds,
  compress,
  cutRange,
  decompress,
  type PageBounds,
  type PageRange,
} from "./page.ts";
import type { DetailsChange } from "./page-store.ts";

/** A page of item details that was read, with the version for a conditional write. */
export interface StoredDetailsPage extends PageRange {
  /** Increases with every write of the range, including a split of the page. */
  readonly version: number;
  /** Details sorted by ID. Decoded at the first access. */
  readonly details: readonly ItemDetails[];
}

/** A page of item details to store. */
export interface CutDetailsPage extends PageRange {
  readonly encoded: Uint8Array;
}

/** Splits the sorted details of a range into pages within the bounds. */
export const cutDetailsPages = (
  range: PageRange,
  details: readonly ItemDetails[],
  bounds: Pick<PageBounds, "itemsMax" | "bytesMax">,
): CutDetailsPage[] =>
  cutRange(range, details, { ...bounds, encode: encodeDetails }).map(
    ({ lowest, upper, encoded }) => ({ lowest, upper, encoded }),
  );

const names = ["id", "addedAt", "label", "metadata", "readAt"] as const;
const factNames = ["title", "url", "image", "sellers"] as const;

/**
 * Encodes details as compressed columns. Null marks an absent value. A column without values
 * is left out.
 */
export function encodeDetails(details: readonly ItemDetails[]): Uint8Array {
  const columns: Record<string, readonly unknown[]> = {};
  const add = (name: string, valueOf: (one: ItemDetails) => unknown): void => {
    const values = details.map(valueOf);
    if (values.some((value) => value !== null)) columns[name] = values;
  };
  for (const name of names) add(name, (one) => (isEmptyObject(one[name]) ? null : one[name]));
  for (const name of factNames) add(name, ({ facts }) => facts[name] ?? null);
  return compress(columns);
}

const isEmptyObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && Object.keys(value).length === 0;

/** Decodes the result of `encodeDetails`. */
export function decodeDetails(bytes: Uint8Array): ItemDetails[] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `encodeDetails` made these bytes
  const columns = decompress(bytes) as Readonly<Record<string, readonly unknown[] | undefined>>;
  const own = names.map((name) => [name, columns[name]] as const);
  const ofFacts = factNames.map((name) => [name, columns[name]] as const);
  return (columns["id"] ?? []).map((_, n) => {
    const one: Record<string, unknown> = {};
    for (const [name, column] of own) one[name] = column?.[n] ?? null;
    one["metadata"] ??= {};
    const facts: Record<string, unknown> = {};
    for (const [name, column] of ofFacts) {
      const value = column?.[n] ?? null;
      if (value !== null) facts[name] = value;
    }
    one["facts"] = facts;
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- columns are made of details
    return one as unknown as ItemDetails;
  });
}

/**
 * Changes the details of some items of a page (see `DetailsChange`). Returns the details of the
 * page after the change, sorted by ID.
 */
export function changedDetails(
  details: readonly ItemDetails[],
  ids: readonly string[],
  change: DetailsChange["change"],
): Changed<readonly ItemDetails[]> {
  const kept = new Map(details.map((one) => [one.id, one]));
  let isChanged = false;
  for (const id of ids) {
    const before = kept.get(id);
    const after = change(before, id);
    if (after === "unchanged" || (after === undefined && before === undefined)) continue;
    isChanged = true;
    if (after === undefined) kept.delete(id);
    else kept.set(id, after);
  }
  return isChanged ? [...kept.values()].sort((a, b) => compareIds(a.id, b.id)) : "unchanged";
}
